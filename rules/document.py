"""docs/rules.md, the page of all rules.

To bring it up to date: `python -m rules.document`.
"""

import datetime as dt
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from resource_graph import Aspect
from resource_graph.graph import DOCUMENTS_LACK, POLICY_HOST_LACKS
from rules.catalogue import RULES, TOPICS
from rules.rule import Rule, Severity
from rules.waivers import waiver_rule

DOCUMENT = Path(__file__).parent.parent / "docs" / "rules.md"

_INTRODUCTION = """\
# Rules

<!-- Written by `python -m rules.document`; change the rules instead. -->

{count} rules say what must hold for a deployment to start, fit its GPUs, answer, and go away again; with the
one that judges waivers, `check` counts {all}. [Checking](checking.md) says how to run them and what a finding
means. `check --file` cannot evaluate {files}. The policy pack cannot evaluate {pack}.

Each fix leads to the rule's code, whose `source=` names what was read, and `lines=` the releases; without any
the rule depends on none."""


def rules_document() -> str:
    """The page as Markdown."""
    own = ("Waivers", "Do the waivers of the settings still hold?", (waiver_rule([], dt.date.min),))
    lines = [
        _INTRODUCTION.format(
            count=len(RULES),
            all=len(RULES) + 1,
            files=_not_evaluated(DOCUMENTS_LACK),
            pack=_not_evaluated(POLICY_HOST_LACKS),
        )
    ]
    for name, question, rules in (*TOPICS, own):
        lines += ("", f"## {name}", "", question, *chain.from_iterable(map(_details, rules)))
    return "\n".join([*lines, ""])


def _not_evaluated(lacks: frozenset[Aspect]) -> str:
    rules = [rule for rule in RULES if rule.reads & lacks]
    *others, last = sorted({aspect.value for rule in rules for aspect in rule.reads})
    missing = f"{', '.join(others)} and {last}" if others else last
    return f"{len(rules)} rules about {missing}"


def _details(rule: Rule) -> Iterator[str]:
    weight = "**Mandatory.**" if rule.severity is Severity.MANDATORY else "Advisory."
    yield from ("", f"### {rule.id}", "", f"{rule.title}. {weight} {rule.reason}", "")
    yield f"Fix: {rule.fix} ([source](../{rule.module.replace('.', '/')}.py))"
    if rule.reads:
        missing = ", ".join(sorted(aspect.value for aspect in rule.reads))
        yield from ("", f"Not evaluated without {missing}.")


if __name__ == "__main__":
    DOCUMENT.write_text(rules_document(), encoding="utf-8")
