"""`dynamo-stack diff`: what it prints, where it writes, and how it exits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli import diff
from comparison.recording import RecordedUpdate, Side, StackRecording, UnreadStack, side_of_json
from comparison.secret_marks import fingerprint
from operations.errors import CommandError
from operations.revisions.sides import recorded_sides
from tests.cli.command import Command, merged, write_stack
from tests.comparison.made_up import BASE, HEAD, finding, pool, recording, side
from tests.comparison.resources_of_tests import kubernetes_object
from tests.conftest import copy_project
from tests.support.dev_settings import dev_settings

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
    assert third.code == 3
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
    command("diff", "main..topic", "--format", "markdown", "--to", tmp_path / "none" / "file")
    assert (tmp_path / "none" / "file").read_text(encoding="utf-8") == printed.out
    lost = command("diff", "main..topic", "--to", tmp_path / "file" / "file")
    assert lost.code == 3
    assert lost.err.startswith(f"{tmp_path / 'file'}: File exists")
    full = command("diff", "main..topic", "--to", "/dev/full")
    assert (full.code, full.err.strip()) == (3, "/dev/full: No space left on device")


def test_control_characters_of_a_label_reach_neither_terminal_nor_json(
    command: Command, sides: dict[str, Any]
) -> None:
    sides["head"] = UnreadStack("dev", "\x1b[2Jgone\x7f")
    assert "\x1b" not in command("diff", "main..topic").out
    printed = command("diff", "main..topic", "--format", "json").out
    assert "\x7f" not in printed
    assert json.loads(printed)["stacks"][0]["headReason"] == "\x1b[2Jgone\x7f"


HUB = "hf_" + "pLaNtEdPlAnTeDpLaNtEdPlA"
PASSWORD = "pl4nted-p4ssw0rd"
SEALED = "v1:pLaNtEd:sEaLeD"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with stack dev alone."""
    project = copy_project(tmp_path / "project")
    for file in project.glob("Pulumi.*.yaml"):
        file.unlink()
    write_stack(project, dev_settings())
    return project


def stack_of(side: Side, name: str = "dev") -> StackRecording:
    found = side.stacks[name]
    assert isinstance(found, StackRecording), found
    return found


def dev_serving(**keys: Any) -> dict[str, Any]:
    return merged(dev_settings(), {"serving": keys})


def test_every_stack_of_the_folder_is_recorded_and_one_that_is_broken_says_why(
    command: Command, folder: Path
) -> None:
    write_stack(folder, dev_serving(recipe="no/such"), "wrong")
    (folder / "Pulumi.broken.yaml").write_text("config: [\n")
    answer = command("record", folder=folder)
    assert (answer.code, answer.err) == (0, "")
    side = side_of_json(answer.out)
    assert sorted(side.stacks) == ["broken", "dev", "wrong"]
    broken, wrong = side.stacks["broken"], side.stacks["wrong"]
    assert isinstance(broken, UnreadStack)
    assert isinstance(wrong, UnreadStack)
    assert broken.reason.startswith("Pulumi.broken.yaml:1\n  not a stack file: ")
    assert wrong.reason.startswith("Pulumi.wrong.yaml: serving.recipe = 'no/such'")
    dev = stack_of(side)
    assert "DynamoGraphDeployment" in {each.kind for each in dev.resources}
    assert dev.fixed["platform.nats.kind"] == "bundled"
    assert [pool.machine for pool in dev.pools] == ["p6-b200.48xlarge", "p6e-gb200.36xlarge"]
    assert dev.update is None


def test_no_secret_is_in_the_answer_wherever_it_was_planted(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", HUB)
    settings = dev_serving(environment={"decode": {"TRACE_LABEL": HUB, "PROXY_PASSWORD": PASSWORD}})
    waiver = {"rule": "none", "reason": f"asked with {HUB}", "expires": "2099-12-31"}
    write_stack(folder, settings | {"waivers": [waiver]}, hfToken={"secure": SEALED})
    write_stack(folder, dev_serving(namespace=HUB), "wrong")
    write_stack(folder, dev_settings(), "plain", hfToken=HUB)
    answer = command("record", folder=folder)
    for planted in (HUB, PASSWORD, SEALED):
        assert planted not in answer.out + answer.err
    side = side_of_json(answer.out)
    dev = stack_of(side)
    assert dev.secrets == {"dynamo-stack:hfToken": fingerprint(SEALED)}
    assert fingerprint(SEALED) != fingerprint("v1:another")
    assert any(
        "[secret " in str(each.inputs) for each in dev.resources if each.kind == "DynamoGraphDeployment"
    )
    assert {name for name, each in side.stacks.items() if isinstance(each, UnreadStack)} == {"plain", "wrong"}


def test_what_is_no_recording_is_refused_and_a_stack_that_is_not_there_says_so(
    command: Command, folder: Path
) -> None:
    answer = command("record", "--over", "Pulumi.dev.yaml", folder=folder)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Pulumi.dev.yaml: it is no recording: ")
    unread = side_of_json(command("record", "dve", folder=folder).out).stacks["dve"]
    assert isinstance(unread, UnreadStack)
    assert "Pulumi.dve.yaml" in unread.reason


def test_two_copies_of_the_project_are_recorded_each_in_a_process_without_credentials(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", PASSWORD)
    other = copy_project(tmp_path / "other")
    write_stack(other, dev_serving(name="another"))
    base, head = recorded_sides(str(folder), str(other), ["dev"])
    assert list(base.stacks) == list(head.stacks) == ["dev"]
    update = stack_of(head).update
    assert update is not None
    assert str(update.interruption).startswith("nothing serves from the moment the old graph ends")
    graphs = [
        each.name
        for side in (base, head)
        for each in stack_of(side).resources
        if each.kind == "DynamoGraphDeployment"
    ]
    assert graphs == ["gpt-oss-disagg", "another"]
