"""`recover --json`: what an interrupted run left, for a program that watches over stacks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cli.recover
from operations.commands import ClusterCommands, PulumiCommand
from operations.recovery.found_in_cluster import Leftovers
from resource_graph.engine_state import Deployment, EngineRecord, PendingOperation
from tests.cli.command import Command, read_document

URN = "urn:pulumi:dev::dynamo-stack::kubernetes:batch/v1:Job::download"
DOWNLOAD = EngineRecord(urn=URN, type="kubernetes:batch/v1:Job", id="x")
WHOLE = Leftovers(Deployment(resources=(DOWNLOAD,)), None, ())
INTERRUPTED = replace(
    WHOLE,
    state=Deployment(
        resources=(DOWNLOAD,), pending_operations=(PendingOperation(type="creating", resource=DOWNLOAD),)
    ),
)


@pytest.fixture
def recover(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """`recover dev --json` over these leftovers: exit code and document; nothing of it may run a step."""
    pulumi = PulumiCommand("dev", tmp_path, "/no/such/pulumi")
    cluster = ClusterCommands("context")
    monkeypatch.setattr(PulumiCommand, "of_stack", lambda _: pulumi)
    monkeypatch.setattr(ClusterCommands, "of", lambda _: cluster)

    def recovered(leftovers: Leftovers, *options: str) -> tuple[int, dict[str, Any]]:
        monkeypatch.setattr(cli.recover, "read_leftovers", lambda *_: leftovers)
        answer = command("recover", "dev", "--json", *options)
        return answer.code, read_document("recover", answer.out)

    return recovered


def test_what_would_be_run_is_printed_and_not_run(recover: Any) -> None:
    code, document = recover(INTERRUPTED)
    assert code == 1
    assert document["interrupted"] is True
    assert f"interrupted while creating: {URN}" in document["found"]
    commands = [step["command"] for step in document["steps"]]
    assert commands[0] == "pulumi cancel --yes --stack dev"
    assert commands[-1].startswith("PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true pulumi up --yes")
    _, destroyed = recover(INTERRUPTED, "--destroy")
    assert destroyed["steps"][-1]["command"] == "pulumi destroy --yes --stack dev"


def test_nothing_was_interrupted(recover: Any) -> None:
    code, document = recover(WHOLE)
    assert (code, document["interrupted"], document["found"], document["steps"]) == (0, False, [], [])
