"""`dynamo-stack diff`: what it prints, where it writes, and how it exits."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from cli import diff
from comparison.recording import RecordedUpdate, Side, UnreadStack
from operations.errors import CommandError
from tests.comparison.made_up import BASE, HEAD, finding, pool, recording, side
from tests.comparison.resources_of_tests import kubernetes_object

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

SAME = recording(pools=(pool(),))
MORE = recording(pools=(pool(nodes=2, gpus=16),))
BROKEN = recording(pools=(pool(),), findings=(finding(),))


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Both sides as a test sets them, in the place of two recorded revisions."""
    found: dict[str, Any] = {"base": SAME, "head": SAME, "code": (), "asked": None}

    def recorded(base: str, head: str | None, stacks: list[str]) -> tuple[Side, Side]:
        found["asked"] = (base, head, stacks)
        if isinstance(found["head"], Exception):
            raise found["head"]
        return side(found["base"]), side(found["head"], label="topic", commit=HEAD)

    monkeypatch.setattr(diff, "recorded_sides", recorded)
    monkeypatch.setattr(diff, "changed_code", lambda *_: found["code"])
    return found


@pytest.mark.parametrize(
    ("head", "code"),
    [(SAME, 0), (MORE, 1), (BROKEN, 2), (UnreadStack("dev", "no YAML"), 3)],
    ids=["none", "changes", "stopped", "not compared"],
)
def test_the_exit_code_is_that_of_the_verdict(
    command: Command, sides: dict[str, Any], head: Any, code: int
) -> None:
    sides["head"] = head
    for form in ("text", "markdown", "json"):
        assert command("diff", "main..topic", "--format", form).code == code


def test_revisions_folders_and_stacks_are_handed_on(command: Command, sides: dict[str, Any]) -> None:
    command("diff", "main..topic", "--stack", "Pulumi.dev.yaml", "--stack", "mine")
    assert sides["asked"] == ("main..topic", None, ["dev", "mine"])
    command("diff", "before", "after")
    assert sides["asked"] == ("before", "after", [])


def test_what_cannot_be_compared_is_said_in_one_sentence(command: Command, sides: dict[str, Any]) -> None:
    third = command("diff", "a", "b", "c")
    assert third.code == 2
    assert "give BASE..HEAD, or two folders" in third.err
    sides["head"] = CommandError("there is no revision 'topc'\n  try: topic")
    answer = command("diff", "main..topc", "--format", "json")
    assert (answer.code, answer.out) == (3, "")
    assert answer.err == "there is no revision 'topc'\n  try: topic\n"


def test_the_text_has_verdict_sides_facts_and_code(command: Command, sides: dict[str, Any]) -> None:
    sides |= {"head": MORE, "code": ("cli/main.py",)}
    printed = command("diff", "main..topic").out
    assert f"1 stack: 1 changed: main ({BASE[:12]}) -> topic ({HEAD[:12]})" in printed
    assert "GPUs" in printed
    assert "B200: 8 -> 16, in use 5" in printed
    assert "$80.00 -> $160.00 an hour for GPU nodes" in printed
    assert "it changes cli/main.py" in printed


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (BROKEN, ("a rule refuses", "gpus-fit")),
        (UnreadStack("dev", "Pulumi.dev.yaml: no such key"), ("could not be read", "no such key")),
        (
            replace(MORE, update=RecordedUpdate(refused=("serving.namespace is fixed",))),
            ("the program refuses", "serving.namespace is fixed"),
        ),
    ],
    ids=["rule", "settings", "program"],
)
def test_a_refusal_stands_in_the_first_lines(
    command: Command, sides: dict[str, Any], head: Any, says: tuple[str, str]
) -> None:
    sides |= {"head": head, "code": ("cli/main.py",)}
    for form, line in (("text", 2), ("markdown", 5)):
        printed = command("diff", "main..topic", "--format", form).out.splitlines()
        assert all(words in printed[line] for words in says), printed[: line + 2]


def test_what_waits_for_a_block_is_in_every_form(command: Command, sides: dict[str, Any]) -> None:
    graph = kubernetes_object("nvidia.com/v1beta1", "DynamoGraphDeployment", "served")
    files = kubernetes_object("v1", "ConfigMap", "files", data={"decode.yaml": "a"})
    changed = replace(files, inputs={**files.inputs, "data": {"decode.yaml": "b"}})
    sides |= {"base": recording(opened=(files, graph)), "head": recording(opened=(changed, graph))}
    for form in ("text", "markdown"):
        printed = command("diff", "main..topic", "--format", form).out
        assert "1 more once its Capacity Block is open" in printed
        assert "once open, replaced" in printed
    answer = command("diff", "main..topic", "--format", "json")
    assert answer.code == 1
    [opened] = json.loads(answer.out)["stacks"][0]["opened"]
    assert opened["title"] == "ConfigMap serving/files"


def test_a_file_gets_what_would_have_been_printed(
    command: Command, sides: dict[str, Any], tmp_path: Path
) -> None:
    sides["head"] = MORE
    printed = command("diff", "main..topic", "--format", "markdown")
    written = command("diff", "main..topic", "--format", "markdown", "--to", tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == printed.out
    assert (written.code, written.out) == (1, "")
    lost = command("diff", "main..topic", "--to", tmp_path / "none" / "file")
    assert lost.code == 3
    assert lost.err.startswith(f"{tmp_path / 'none' / 'file'} cannot be written: No such file")


def test_control_characters_of_a_label_reach_neither_terminal_nor_json(
    command: Command, sides: dict[str, Any]
) -> None:
    sides["head"] = UnreadStack("dev", "\x1b[2Jgone\x7f")
    assert "\x1b" not in command("diff", "main..topic").out
    printed = command("diff", "main..topic", "--format", "json").out
    assert "\x7f" not in printed
    assert json.loads(printed)["stacks"][0]["headReason"] == "\x1b[2Jgone\x7f"
