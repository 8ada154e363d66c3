"""`dynamo-stack record`: the stacks of a folder as JSON, without a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from comparison.recording import Side, StackRecording, UnreadStack, side_of_json
from comparison.secret_marks import fingerprint
from operations.revisions.sides import recorded_sides
from tests.cli.command import merged, write_stack
from tests.conftest import copy_project
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

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
    assert broken.reason.startswith("Pulumi.broken.yaml:2\n  not a stack file: ")
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
    waiver = {"rule": "none", "reason": f"asked with {HUB}", "expires": "2027-01-31"}
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
    assert answer.err.startswith("--over Pulumi.dev.yaml: it is no recording: ")
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
