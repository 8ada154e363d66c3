"""docs/rules.md: current, and true about the pack."""

import re

from policy.pack import policies
from rules.catalogue import rules_on
from rules.document import DOCUMENT, rules_document
from tests.rules.judging import TODAY


def test_the_committed_page_of_rules_is_the_rules_own() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == rules_document(), "run `python -m rules.document`"


def test_the_page_explains_every_rule_and_the_guide_every_other_policy_of_the_pack() -> None:
    page = rules_document()
    for rule in rules_on(TODAY):
        assert page.count(f"\n### {rule.id}\n") == 1
    guide = (DOCUMENT.parent / "checking.md").read_text(encoding="utf-8")
    for policy in policies(today=TODAY):
        assert f"### {policy.name}\n" in page or f"`{policy.name}`" in guide


def test_every_rule_leads_to_its_code() -> None:
    page = rules_document()
    for rule in rules_on(TODAY):
        section = page.split(f"\n### {rule.id}\n")[1].split("\n### ")[0]
        [module] = re.findall(r"^Fix: .+ \(\[source\]\(\.\./(.+?)\)\)$", section, re.MULTILINE)
        code = (DOCUMENT.parents[1] / module).read_text(encoding="utf-8")
        assert rule.id in code.replace("_", "-")
