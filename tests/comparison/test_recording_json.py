"""A side as JSON, written by one process and read by another."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.recording import (
    RecordedFinding,
    RecordedNotice,
    RecordedPool,
    RecordedUpdate,
    RecordedWaiver,
    RecordingFormatError,
    Side,
    StackRecording,
    UnreadStack,
    side_as_json,
    side_of_json,
)
from resource_graph import UNKNOWN, CustomTimeouts, Resource, Value
from tests.comparison.made_up import finding, recording

# A lone surrogate is no text that JSON can carry.
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
KEYS = st.one_of(TEXTS, st.sampled_from(["$unknown", "$", "$$", "$schema"]))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63), NUMBERS, TEXTS, st.just(UNKNOWN))
VALUES = st.recursive(
    SCALARS,
    lambda part: st.one_of(st.lists(part, max_size=3), st.dictionaries(KEYS, part, max_size=3)),
    max_leaves=8,
)
MAYBE = st.one_of(st.none(), TEXTS)
PATHS = st.lists(st.one_of(TEXTS, st.integers(0, 9)), max_size=3).map(tuple)
RESOURCES = st.builds(
    Resource,
    urn=TEXTS,
    type=TEXTS,
    name=TEXTS,
    inputs=st.dictionaries(KEYS, VALUES, max_size=3),
    custom=st.booleans(),
    parent=MAYBE,
    provider=MAYBE,
    dependencies=st.frozensets(TEXTS, max_size=3),
    property_dependencies=st.dictionaries(TEXTS, st.frozensets(TEXTS, max_size=2), max_size=2),
    protect=st.one_of(st.none(), st.booleans()),
    retain_on_delete=st.one_of(st.none(), st.booleans()),
    custom_timeouts=st.builds(CustomTimeouts, st.one_of(st.none(), NUMBERS)),
    delete_before_replace=st.one_of(st.none(), st.booleans()),
    ignore_changes=st.lists(TEXTS, max_size=2).map(tuple),
    replace_on_changes=st.lists(TEXTS, max_size=2).map(tuple),
    secret_paths=st.one_of(st.none(), st.frozensets(PATHS, max_size=3)),
    origin=st.none(),
)
POOLS: st.SearchStrategy[RecordedPool] = st.fixed_dictionaries(
    {
        "name": TEXTS,
        "machine": TEXTS,
        "accelerator": TEXTS,
        "nodes": st.integers(0, 99),
        "gpus": st.integers(0, 99),
        "used_gpus": st.integers(0, 99),
        "usd_per_gpu_hour": st.one_of(st.none(), NUMBERS),
        "price_source": MAYBE,
        "price_date": MAYBE,
        "block": MAYBE,
    }
).map(lambda values: RecordedPool(**cast("dict[str, Any]", values)))
FINDINGS = st.builds(
    RecordedFinding,
    rule=TEXTS,
    severity=st.sampled_from(["mandatory", "advisory"]),
    status=st.sampled_from(["failed", "undecided", "waived"]),
    resource=TEXTS,
    subject=TEXTS,
    message=TEXTS,
    fix=TEXTS,
)
UPDATES = st.builds(
    RecordedUpdate,
    notices=st.lists(st.builds(RecordedNotice, TEXTS, st.booleans()), max_size=2).map(tuple),
    refused=st.lists(TEXTS, max_size=2).map(tuple),
    restarts_workers=st.booleans(),
    interruption=MAYBE,
)


@st.composite
def sides(draw: st.DrawFn) -> Side:
    stacks: dict[str, StackRecording | UnreadStack] = {}
    for name in draw(st.lists(TEXTS, max_size=2, unique=True)):
        if draw(st.booleans()):
            stacks[name] = UnreadStack(name, draw(TEXTS))
            continue
        stacks[name] = StackRecording(
            name=name,
            resources=tuple(draw(st.lists(RESOURCES, max_size=2))),
            opened=tuple(draw(st.lists(RESOURCES, max_size=1))),
            secrets=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
            settings=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
            address=draw(MAYBE),
            fixed=draw(st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(0, 9)), max_size=2)),
            pools=tuple(draw(st.lists(POOLS, max_size=2))),
            findings=tuple(draw(st.lists(FINDINGS, max_size=2))),
            waivers=tuple(draw(st.lists(st.builds(RecordedWaiver, rule=TEXTS, reason=TEXTS, expires=TEXTS)))),
            update=draw(st.one_of(st.none(), UPDATES)),
        )
    return Side(draw(TEXTS), draw(MAYBE), stacks, tuple(draw(st.lists(TEXTS, max_size=2))))


@given(sides())
def test_what_is_read_is_what_was_written(side: Side) -> None:
    assert side_of_json(side_as_json(side)) == side


def with_settings(settings: dict[str, Value]) -> Side:
    return Side("a", None, {"dev": recording(findings=(finding(),), settings=settings)})


def test_a_recording_of_older_code_is_read_without_settings() -> None:
    data = json.loads(side_as_json(with_settings({"serving.recipe": "a"})))
    del data["recorded"][0]["settings"]
    assert side_of_json(json.dumps(data)) == with_settings({})


def test_older_code_is_handed_the_form_that_it_reads() -> None:
    side = with_settings({"serving.recipe": "a"})
    assert "settings" in side_as_json(side)
    assert side_as_json(side, for_older_code=True) == side_as_json(with_settings({}))
    assert "settings" not in side_as_json(with_settings({}))


def test_the_lines_that_older_code_writes_down_are_passed_over() -> None:
    side = with_settings({"serving.recipe": "a"})
    data = json.loads(side_as_json(side))
    [stack] = data["recorded"]
    stack["lines"] = {"settings": 3, "waivers": {}, "resources": {"urn": 8}, "refused": [7]}
    stack["findings"][0]["line"] = 12
    assert side_of_json(json.dumps(data)) == side


def changed(**keys: Any) -> str:
    data = json.loads(side_as_json(Side("a", None, {"dev": UnreadStack("dev", "broken")})))
    return json.dumps(data | keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no recording"),
        ("Usage: dynamo-stack", "no recording"),
        ("[]", "no recording"),
        (
            '{"schemaVersion": 2, "anything": 1}',
            "another version of the recording's form, and this release reads 1",
        ),
        (changed(added=1), "added"),
        (changed(unread=[{"name": "dev"}]), r"unread\.0\.reason"),
        (changed(commit=1), "commit"),
        (f'{{"schemaVersion": 1, "label": {"[" * 100_000}', "no recording"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(RecordingFormatError, match=said) as raised:
        side_of_json(text)
    assert "\n" not in str(raised.value)


def test_a_key_that_no_writer_writes_is_refused() -> None:
    resource = Resource(urn="u", type="t", name="n", inputs={"a": 1})
    text = side_as_json(Side("a", None, {"dev": StackRecording(name="dev", resources=(resource,))}))
    with pytest.raises(RecordingFormatError, match=r"\$x"):
        side_of_json(text.replace('"a":1', '"$x":1'))


def test_equal_sides_are_equal_texts_whatever_order_their_sets_have() -> None:
    one, other = (
        Resource(urn="u", type="t", name="n", inputs={}, dependencies=frozenset(names))
        for names in (["a", "b", "c"], ["c", "b", "a"])
    )
    texts = [
        side_as_json(Side("a", None, {"dev": StackRecording(name="dev", resources=(each,))}))
        for each in (one, other)
    ]
    assert texts[0] == texts[1]
