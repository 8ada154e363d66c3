"""What the guides show of a command, or of the code, is what there is."""

import datetime as dt
import re
import shlex
from pathlib import Path

import pytest

from rules.catalogue import rules_on
from tests.cli.command import ROOT, Command

WIDTH = "120"
CHECKING = ROOT / "docs" / "checking.md"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def shown(start: str) -> tuple[list[str], list[str]]:
    """The words of the first command that starts so, and the lines that the guide shows after it."""
    text = CHECKING.read_text(encoding="utf-8")
    found = re.search(rf"```console\n\$ ({re.escape(start)}[^\n]*)\n(.*?)```", text, re.DOTALL)
    assert found is not None, start
    return shlex.split(found[1], comments=True)[1:], found[2].splitlines()


def assert_prints(lines: list[str], printed: str) -> None:
    """Each line is printed, in this order; … stands for whatever else is."""
    rest = [line.rstrip() for line in _COLOUR.sub("", printed).splitlines()]
    for line in lines:
        form = re.compile(".*".join(map(re.escape, line.split("…"))))
        while rest and not form.fullmatch(rest[0]):
            rest.pop(0)
        assert rest, f"docs/checking.md shows {line!r}, which is not printed (there, or at all):\n{printed}"
        rest.pop(0)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As wide as the guide is."""
    for name, value in {"COLUMNS": WIDTH, "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("terminal")
def test_the_example_is_judged_as_the_guide_shows(command: Command) -> None:
    arguments, lines = shown("dynamo-stack check --file ")
    answer = command(*arguments)
    assert (answer.code, answer.err) == (1, "")
    assert_prints([line for line in lines if line != "…"], answer.out)


def test_a_finding_in_a_preview_reads_as_its_rule_does() -> None:
    text = CHECKING.read_text(encoding="utf-8")
    heading, reason, _, fix, source = (
        line.strip() for line in text.partition("\nPolicies:\n")[2].partition("\n```")[0].splitlines()[1:]
    )
    [rule] = [rule for rule in rules_on(dt.date(2026, 1, 1)) if f"  {rule.id}  " in heading]
    assert f"[{rule.severity.value}]" in heading
    whole = (rule.reason, f"Fix: {rule.fix}", f"Source: {rule.source}")
    for line, said in zip((reason, fix, source), whole, strict=True):
        assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), said), said


def test_the_wrong_setting_is_refused_as_the_guide_shows(command: Command, tmp_path: Path) -> None:
    arguments, lines = shown("dynamo-stack explain dev        # with `version: 1.2`")
    settings = (ROOT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    (tmp_path / "Pulumi.dev.yaml").write_text(settings.replace('version: "1.2.1"', "version: 1.2"))
    answer = command(*arguments, folder=tmp_path)
    assert (answer.code, answer.err.splitlines()) == (2, lines)


def test_the_rule_that_contributors_are_shown_is_one_of_the_rules() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(r"One of `(.+?)`:\n\n```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    assert found[2] in (ROOT / found[1]).read_text(encoding="utf-8")


def test_the_readme_s_dollars_are_those_of_the_guide() -> None:
    guide, readme = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("docs/production.md", "README.md")
    )
    # What a command has printed is of the day on which it was run.
    said = re.sub(r"```text\n.*?```", "", readme, flags=re.DOTALL)
    found = re.findall(r"\$\d[\d.]*\d", said)
    assert found
    assert [dollars for dollars in found if dollars not in guide] == []


def test_the_readme_has_a_row_for_every_stack_and_no_question_twice() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {f"[{file.name}]({file.name})" for file in ROOT.glob("Pulumi.*.yaml")} <= set(rows)
    assert sorted(rows) == sorted(set(rows))
