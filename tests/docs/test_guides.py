"""What the guides show of a command is what it prints, and what they quote is there."""

import datetime as dt
import re
import shutil
from pathlib import Path

import pytest
import yaml

from recipes.load import parse_recipe, recipe_file
from rules.catalogue import rules_on
from tests.cli.command import ROOT, Command
from tests.docs.guide import console, text_of, yaml_blocks
from tests.support.dev_settings import described_node, existing_cluster_settings, resolved

CHECKING, COMPOSE, RECIPE = "docs/checking.md", "docs/compose.md", "docs/your-own-recipe.md"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def assert_prints(lines: list[str], printed: str) -> None:
    """Each line is printed, in this order; … stands for whatever else is."""
    rest = [line.rstrip() for line in _COLOUR.sub("", printed).splitlines()]
    for line in lines:
        form = re.compile(".*".join(map(re.escape, line.split("…"))))
        while rest and not form.fullmatch(rest[0]):
            rest.pop(0)
        assert rest, f"{line!r} is shown, and not printed (there, or at all):\n{printed}"
        rest.pop(0)


@pytest.mark.parametrize(
    ("page", "start", "code"),
    [
        (CHECKING, "check --file ", 1),
        (CHECKING, "explain dev        # with `version: 1.2`", 2),
        (COMPOSE, "compose dev", 0),
        (COMPOSE, "compose disagg-gb200-two-trays", 2),
        (RECIPE, "recipes new", 0),
        (RECIPE, "recipes show", 0),
        ("docs/report.md", "report disagg-gb200-two-trays", 0),
    ],
)
def test_a_command_prints_what_the_guide_shows(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, start: str, code: int
) -> None:
    for file in ROOT.glob("Pulumi.*.yaml"):
        shutil.copy(file, tmp_path)
    if "with `version: 1.2`" in start:
        settings = (tmp_path / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        (tmp_path / "Pulumi.dev.yaml").write_text(settings.replace('version: "1.2.1"', "version: 1.2"))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    # As wide as the guides are.
    for name, value in {"COLUMNS": "120", "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    typed, lines = console(page, start)
    answer = command(*typed, folder=tmp_path)
    assert answer.code == code
    assert lines
    assert_prints([line for line in lines if line != "…"], answer.err if code == 2 else answer.out)


def test_a_finding_in_a_preview_reads_as_its_rule_does() -> None:
    text = text_of(CHECKING)
    heading, reason, _, fix, source = (
        line.strip() for line in text.partition("\nPolicies:\n")[2].partition("\n```")[0].splitlines()[1:]
    )
    [rule] = [rule for rule in rules_on(dt.date(2026, 1, 1)) if f"  {rule.id}  " in heading]
    assert f"[{rule.severity.value}]" in heading
    whole = (rule.reason, f"Fix: {rule.fix}", f"Source: {rule.source}")
    for line, said in zip((reason, fix, source), whole, strict=True):
        assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), said), said


def test_the_rule_that_contributors_are_shown_is_one_of_the_rules() -> None:
    found = re.search(r"One of `(.+?)`:\n\n```python\n(.*?)```", text_of("CONTRIBUTING.md"), re.DOTALL)
    assert found is not None
    assert found[2] in text_of(found[1])


def test_the_readme_has_a_row_for_every_stack_and_no_question_twice() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", text_of("README.md"), re.MULTILINE)
    assert {f"[{file.name}]({file.name})" for file in ROOT.glob("Pulumi.*.yaml")} <= set(rows)
    assert sorted(rows) == sorted(set(rows))


def test_the_model_of_the_guide_can_be_described_in_a_recipe() -> None:
    [model] = [block for block in yaml_blocks(RECIPE) if "model" in block]
    content = yaml.safe_load(recipe_file("gpt-oss-20b/trtllm-agg").read_text(encoding="utf-8"))
    recipe = parse_recipe(yaml.safe_dump(content | model))
    assert recipe.model.shape.name == "gpt-oss-20b"


def test_the_pool_and_the_sizes_of_other_clusters_make_a_stack() -> None:
    page = "docs/other-clusters.md"
    pools, sizes = yaml_blocks(page)
    serving = {"recipe": "gpt-oss-120b/trtllm-disagg", "pool": "b200", "kvTransport": "tcp"}
    settings = existing_cluster_settings(serving | sizes["serving"], pools["nodePools"])
    found = [worker.resources for worker in resolved(settings).serving.placed.workers]
    assert [(each.cpu_request, each.memory_gib) for each in found if each] == [(32, 438), (110, 1500)]
    assert [key for key in described_node(nvlinkDomainGpus=8) if f"`{key}`" not in text_of(page)] == []
