"""The JSON of a comparison, against its schema."""

import json
from typing import Any

import pytest

from cli.output import print_document
from comparison.capacity import capacity_of
from comparison.changes import Change, FieldChange, Operation
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import Comparison, UncomparedStack
from resource_graph import UNKNOWN
from tests.cli.command import read_document
from tests.comparison.made_up import changed, comparison, finding, pool, replicas, stack, waiver


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    """The document of a comparison, as its schema describes it."""

    def document(of: Comparison) -> dict[str, Any]:
        print_document("diff", of)
        return read_document("diff", capsys.readouterr().out)

    return document


def test_every_part_of_a_document_is_what_the_schema_describes(printed: Any) -> None:
    capacity = capacity_of([pool(), pool("block", block="cr-1")])
    document = printed(
        comparison(
            [
                stack(
                    replicas(),
                    update=RecordedUpdate(notices=(RecordedNotice("text", warns=True),), refused=("no",)),
                    before=capacity,
                    after=capacity,
                    findings=FindingChanges(new=(finding(),)),
                    waivers=WaiverChanges(new=(waiver("2026-01-01"),)),
                    secrets=("token",),
                ),
                UncomparedStack("broken", None, "no YAML"),
            ],
            changed_code=("cli/main.py",),
        )
    )
    assert (document["schema"], document["version"], document["verdict"]) == (
        "dynamo-stack/diff",
        2,
        "not compared",
    )
    compared, unread = document["stacks"]
    [field] = compared["resources"][0]["fields"]
    assert (field["path"], field["before"], field["after"]) == (["spec", "replicas"], 2, 4)
    assert unread == {
        "name": "broken",
        "verdict": "not compared",
        "baseReason": None,
        "headReason": "no YAML",
    }


def test_secret_values_are_left_out_and_unknown_ones_are_said_to_be_so(printed: Any) -> None:
    secret = FieldChange(
        path=("data",), change=Change.CHANGED, before="hf_before", after="hf_after", is_secret=True
    )
    unknown = FieldChange(path=("spec",), change=Change.ADDED, after={"a": [UNKNOWN]})
    document = printed(comparison([stack(changed("Secret a/b", Operation.UPDATE, secret, unknown))]))
    assert "hf_" not in json.dumps(document)
    first, second = document["stacks"][0]["resources"][0]["fields"]
    assert (first["isSecret"], first["before"], first["after"]) == (True, None, None)
    assert second["after"] == {"a": ["(known after the update)"]}
