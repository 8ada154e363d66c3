"""What is made of the engine's events, recorded from previews on the lab's cluster (test_lab_preview)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli import preview as preview_module
from comparison.changes import Operation, ResourceChange
from operations.engine_preview.events import Events, read_events
from operations.engine_preview.preview import EnginePreview, read_preview
from operations.errors import CommandError
from resource_graph.input_text import InputError
from tests.cli.command import Command, read_document

RECORDED = Path(__file__).with_name("recorded")


def recorded(name: str) -> EnginePreview:
    return read_preview("toy", read_events((RECORDED / f"{name}.jsonl").read_text().splitlines()))


def changes_of(*steps: dict[str, Any]) -> Sequence[ResourceChange]:
    """What a preview of these steps of the engine changes."""
    events = [json.dumps({"resourcePreEvent": {"metadata": step}}) for step in steps]
    return read_preview("toy", read_events(events)).changes


def printed(
    command: Command, monkeypatch: pytest.MonkeyPatch, found: EnginePreview | Exception, *options: str
) -> Any:
    def answer(_: str) -> EnginePreview:
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(preview_module, "preview_stack", answer)
    return command("preview", "dev", *options)


def test_a_secret_in_any_other_object_is_marked_too() -> None:
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:x"}
    urn = "urn:pulumi:dev::toy::kubernetes:core/v1:ConfigMap::c"
    state = {"type": "kubernetes:core/v1:ConfigMap", "urn": urn, "custom": True}
    old, new = (state | {"inputs": {"data": {"key": value, "plain": "x"}}} for value in ("x", secret))
    step = {
        "op": "update",
        "urn": urn,
        "old": old,
        "new": new,
        "detailedDiff": {"data": {"diffKind": "update"}},
    }
    [change] = changes_of(step)
    assert [(field.before, field.after) for field in change.fields] == [("[secret]", "[secret]")]


def test_a_component_is_no_change_as_it_exists_in_the_program_alone() -> None:
    urn = "urn:pulumi:dev::toy::dynamo-stack:components:Nats::nats"
    step = {"op": "create", "urn": urn, "new": {"type": "dynamo-stack:components:Nats", "urn": urn}}
    assert changes_of(step) == ()


def test_of_two_names_of_one_resource_the_old_one_goes_and_the_new_one_comes() -> None:
    kind = "kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment"
    old, new = (
        {"type": kind, "urn": f"urn:pulumi:dev::toy::{kind}::{name}", "custom": True, "inputs": {}}
        for name in ("before", "after")
    )
    changes = changes_of(
        {"op": "delete-replaced", "urn": old["urn"], "old": old},
        {"op": "replace", "urn": new["urn"], "old": old, "new": new},
        {"op": "create-replacement", "urn": new["urn"], "old": old, "new": new},
    )
    assert {each.urn.rpartition("::")[2]: each.operation for each in changes} == {
        "before": Operation.DELETE,
        "after": Operation.CREATE,
    }


def test_a_log_that_the_engine_did_not_write_is_named() -> None:
    with pytest.raises(InputError, match="event 2 is not JSON"):
        read_events(["{}", "{"])


NOTHING = read_preview("dev", Events())


def allowed_changes() -> EnginePreview:
    """The recorded ones without what the engine refuses."""
    lines = (RECORDED / "changes.jsonl").read_text().splitlines()
    allowed = [line for line in lines if "::kept" not in line and '"severity":"error"' not in line]
    return read_preview("dev", read_events(allowed))


@pytest.mark.parametrize(
    ("found", "code", "first"),
    [
        (NOTHING, 0, ""),
        (allowed_changes(), 1, "dev: 1 to create, 1 to update, 2 to replace, 1 to forget\n"),
        (recorded("changes"), 2, ""),
        (CommandError("no stack"), 3, ""),
        (InputError("half a line"), 3, ""),
    ],
    ids=["nothing", "changes", "a refusal", "no stack", "no answer"],
)
def test_the_exit_code_tells_changes_from_nothing_a_refusal_and_no_answer(
    command: Command, monkeypatch: pytest.MonkeyPatch, found: Any, code: int, first: str
) -> None:
    answer = printed(command, monkeypatch, found)
    assert answer.code == code
    assert answer.out.startswith(first)


def test_a_person_reads_first_what_is_refused_and_what_is_made_anew(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = printed(command, monkeypatch, recorded("changes")).out
    titles = [line for line in out.splitlines() if ": ConfigMap " in line]
    assert titles[0] == "deleted; refused; protected: ConfigMap toy/kept"
    for part in (
        "\nreplaced, the old one first: ConfigMap toy/files\n",
        "  # replaced for data.a, data.b, data.c\n",
        "  @@ data.b (replaces) @@\n  - 2\n",
        "  @@ data.c (replaces) @@\n  + 4\n",
        "\nupdated: Service toy/service\n",
        "  ! changed: a secret, which is not shown\n",
        "  pods restart\n",
    ):
        assert part in out


def test_a_program_reads_the_same_as_a_document(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = printed(command, monkeypatch, recorded("changes"), "--json")
    document = read_document("preview", answer.out)
    assert (answer.code, document["verdict"]) == (2, "stops")
    operations = {each["title"].rpartition("/")[2]: each["operation"] for each in document["resources"]}
    assert operations == {
        "files": "replace",
        "token": "replace",
        "service": "update",
        "new": "create",
        "kept": "delete",
        "left": "forget",
    }
    [refused] = document["refused"]
    assert refused.startswith("kept: Preview failed: resource ")
    [files] = [each for each in document["resources"] if each["title"] == "ConfigMap toy/files"]
    assert files["operation"] == "replace"
    assert files["fields"][0] == {
        "path": ["data", "a"],
        "change": "changed",
        "before": "1",
        "after": "3",
        "effect": "replaces",
        "isSecret": False,
    }
    fields = [each for resource in document["resources"] for each in resource["fields"]]
    [secret] = [each for each in fields if each["isSecret"]]
    assert (secret["path"], secret["before"], secret["after"]) == (["data", "key"], None, None)
