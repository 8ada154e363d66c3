from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.jsonpath import JsonPath, JsonPathError
from lab.kubernetes_provider.wait_for import WaitForError, check_all, parse

_LIVE = {
    "metadata": {"generation": 2, "annotations": {"a.b/c": "x"}},
    "status": {
        "observedGeneration": 2,
        "phase": "Running",
        "ready": True,
        "count": 3,
        "conditions": [
            {"type": "Ready", "status": "True"},
            {"type": "Degraded", "status": "False", "message": "fine"},
        ],
    },
}


def _ready(text: str, live: dict[str, Any] | None = None) -> bool:
    return check_all(parse(text), live or _LIVE).ready


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("{.status.phase}", ["Running"]),
        (".status.phase", ["Running"]),
        ("$.status.phase", ["Running"]),
        ("status.phase", ["Running"]),
        ("{.status['phase']}", ["Running"]),
        ("{.metadata.annotations.a\\.b/c}", ["x"]),
        ("$.metadata.annotations['a.b/c']", ["x"]),
        ("{.status.conditions[0].type}", ["Ready"]),
        ("{.status.conditions[-1].type}", ["Degraded"]),
        ("{.status.conditions[*].type}", ["Ready", "Degraded"]),
        ('{.status.conditions[?(@.type=="Ready")].status}', ["True"]),
        ("$.status.conditions[?@.type == 'Degraded'].status", ["False"]),
        ('{.status.conditions[?(@.type!="Ready")].type}', ["Degraded"]),
        ("{.status.absent}", []),
        ("{.status.conditions[7]}", []),
    ],
)
def test_a_path_selects(expression: str, found: list[Any]) -> None:
    assert JsonPath.parse(expression).find(_LIVE) == found


@pytest.mark.parametrize("expression", ["", "{}", "{.a[}", "{.a[?(@.b<1)]}", "{range .items}"])
def test_a_path_that_cannot_be_read_is_refused(expression: str) -> None:
    with pytest.raises(JsonPathError):
        JsonPath.parse(expression)


@pytest.mark.parametrize(
    ("text", "ready"),
    [
        ("condition=Ready", True),
        ("condition=ready=true", True),
        ("condition=Degraded", False),
        ("condition=Degraded=False", True),
        ("condition=Absent", False),
        ("jsonpath={.status.phase}=Running", True),
        ("jsonpath={.status.phase}=Pending", False),
        ("jsonpath={.status.phase}", True),
        ("jsonpath={.status.absent}", False),
        ("jsonpath={.status.ready}=true", True),
        ("jsonpath={.status.count}=3", True),
        ('jsonpath={.status.conditions[?(@.type=="Ready")].status}=True', True),
        ('["condition=Ready", "jsonpath={.status.phase}=Running"]', True),
        ('["condition=Ready", "condition=Degraded"]', False),
    ],
)
def test_a_wait_holds_or_does_not(text: str, ready: bool) -> None:
    assert _ready(text) is ready


@pytest.mark.parametrize(
    "text", ["Ready", "condition", "condition=", "jsonpath=", "[]", "[1]", "[broken", "foo=bar"]
)
def test_an_annotation_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(WaitForError):
        parse(text)


def test_what_was_observed_of_an_older_generation_does_not_count() -> None:
    stale = {**_LIVE, "metadata": {"generation": 3}}
    assert not _ready("condition=Ready", stale)
    assert not _ready("jsonpath={.status.phase}=Running", stale)
    # A condition's own observation wins over the object's.
    conditions = [{"type": "Ready", "status": "True", "observedGeneration": 3}]
    assert _ready("condition=Ready", {**stale, "status": {"observedGeneration": 2, "conditions": conditions}})


def test_a_condition_that_does_not_hold_is_told_without_the_controllers_message_and_not_as_an_error() -> None:
    found = check_all(parse("condition=Degraded"), _LIVE)
    assert found.status == "Resource has condition Degraded=False (want True)"
    assert found.reasons == ()
    stale = {**_LIVE, "metadata": {"generation": 3}}
    assert check_all(parse("condition=Ready"), stale).status == "Generation 2 is less than expected 3"
    assert check_all(parse("condition=Ready"), {"metadata": {}}).status == "Has no .status.conditions"


def test_several_values_or_a_map_can_never_equal_a_text() -> None:
    assert check_all(parse("jsonpath={.status.conditions[*].type}=Ready"), _LIVE).failed
    assert check_all(parse("jsonpath={.status.conditions}=Ready"), _LIVE).failed
