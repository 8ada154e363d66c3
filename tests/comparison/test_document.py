"""The JSON of a comparison, against its committed schema."""

import json

import jsonschema

from comparison.capacity import capacity_of
from comparison.changes import Change, FieldChange, Operation
from comparison.document import SCHEMA_FILE, as_document, diff_schema_text
from comparison.finding_changes import FindingChanges, WaiverChanges
from comparison.recording import RecordedNotice, RecordedUpdate
from comparison.stack_comparison import UncomparedStack
from resource_graph import UNKNOWN
from tests.comparison.made_up import changed, comparison, finding, pool, replicas, stack, waiver

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))


def test_the_committed_schema_is_up_to_date() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == diff_schema_text()


def test_every_part_of_a_document_is_what_the_schema_describes() -> None:
    capacity = capacity_of([pool(), pool("block", block="cr-1")])
    document = as_document(
        comparison(
            [
                stack(
                    replicas(),
                    update=RecordedUpdate(notices=(RecordedNotice("text", warns=True),), refused=("no",)),
                    before=capacity,
                    after=capacity,
                    findings=FindingChanges(new=(finding(),)),
                    waivers=WaiverChanges(expired=(waiver("2026-01-01"),)),
                    secrets=("token",),
                ),
                UncomparedStack("broken", None, "no YAML"),
            ],
            changed_code=("cli/main.py",),
        )
    )
    jsonschema.validate(document, SCHEMA)
    assert (document["schema"], document["version"], document["verdict"]) == (
        "dynamo-stack/diff",
        1,
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


def test_secret_values_are_left_out_and_unknown_ones_are_said_to_be_so() -> None:
    secret = FieldChange(
        path=("data",), change=Change.CHANGED, before="hf_before", after="hf_after", is_secret=True
    )
    unknown = FieldChange(path=("spec",), change=Change.ADDED, after={"a": [UNKNOWN]})
    document = as_document(comparison([stack(changed("Secret a/b", Operation.UPDATE, secret, unknown))]))
    assert "hf_" not in json.dumps(document)
    first, second = document["stacks"][0]["resources"][0]["fields"]
    assert (first["isSecret"], first["before"], first["after"]) == (True, None, None)
    assert second["after"] == {"a": ["(known after the update)"]}
