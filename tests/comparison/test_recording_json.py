"""A side as JSON, written by one process and read by another."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from comparison.recording import (
    RecordedNotice,
    RecordedUpdate,
    Side,
    StackRecording,
    UnreadStack,
    side_as_json,
    side_of_json,
)
from resource_graph import UNKNOWN, CustomTimeouts, Resource
from resource_graph.input_text import InputError
from tests.comparison.made_up import finding, pool, side, waiver

# Values of every kind, some of them nested.
PLAIN = Resource(
    urn="u",
    type="t",
    name="n",
    inputs={
        "a": [1, -1.5, 2**63, True, None, "\u202e", {}, [], {"b": [UNKNOWN, {"$unknown": False}]}],
        "c": UNKNOWN,
    },
)
RESOURCE = Resource(
    urn="urn",
    type="kubernetes:core/v1:Secret",
    name="name",
    inputs={"stringData": {"token": "[secret 1]"}},
    custom=False,
    parent="parent",
    provider="provider",
    dependencies=frozenset({"b", "a"}),
    property_dependencies={"stringData": frozenset({"a"})},
    protect=True,
    retain_on_delete=False,
    custom_timeouts=CustomTimeouts(60.0),
    delete_before_replace=True,
    ignore_changes=("a",),
    replace_on_changes=("b",),
    secret_paths=frozenset({("stringData", "token", 0)}),
)
UPDATE = RecordedUpdate(
    notices=(RecordedNotice("text", warns=True),),
    refused=("no",),
    restarts_workers=True,
    interruption="9 min",
)
FULL = StackRecording(
    name="dev",
    resources=(RESOURCE, PLAIN),
    opened=(PLAIN,),
    secrets={"token": "1"},
    settings={"serving": {"recipe": "a"}},
    address="frontend.gpt-oss:8000",
    fixed={"members": 3, "name": "a"},
    pools=(pool(), pool("block", block="cr-1", usd_per_gpu_hour=None)),
    findings=(finding(), finding(status="waived")),
    waivers=(waiver("2027-01-01"),),
    update=UPDATE,
)
SIDE = replace(side(FULL, UnreadStack("other", "broken")), notes=("note",))


def test_what_is_read_is_what_was_written() -> None:
    empty = StackRecording(name="", resources=())
    said_nothing = [each for each in fields(FULL) if getattr(FULL, each.name) == getattr(empty, each.name)]
    assert said_nothing == [], "FULL has something in every field"
    assert side_of_json(side_as_json(SIDE)) == SIDE


def changed(**keys: Any) -> str:
    data = json.loads(side_as_json(Side("a", None, {"dev": UnreadStack("dev", "broken")})))
    return json.dumps(data | keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Usage: dynamo-stack", "no recording"),
        ("[]", "no recording"),
        (f'{{"schemaVersion": 1, "label": {"[" * 100_000}', "no recording"),
        (
            '{"schemaVersion": 2, "anything": 1}',
            "no recording: schemaVersion: Input should be 1",
        ),
        (changed(added=1), "added"),
        (changed(unread=[{"name": "dev"}]), r"unread\.0\.reason"),
        (changed(commit=1), "commit"),
    ],
    ids=["no JSON", "a list", "depth", "version", "more", "less", "type"],
)
def test_anything_else_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        side_of_json(text)
    assert "\n" not in str(raised.value)


def test_equal_sides_are_equal_texts_whatever_order_their_sets_have() -> None:
    one, other = (
        side_as_json(
            side(StackRecording(name="dev", resources=(replace(PLAIN, dependencies=frozenset(names)),)))
        )
        for names in (["a", "b", "c"], ["c", "b", "a"])
    )
    assert one == other
