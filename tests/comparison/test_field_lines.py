"""The fields of a changed resource, line by line, beside what tests of single resources show."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.changes import Change, FieldChange, Operation
from comparison.field_lines import resource_lines
from resource_graph import UNKNOWN
from tests.comparison.made_up import changed

_NUMBERS = "\n".join(map(str, range(50)))
_LINES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a path as people write it": (
        {"path": ("services", 0, "nvidia.com/gpu"), "before": 2, "after": 4},
        ['@@ services[0]["nvidia.com/gpu"] @@', "- 2", "+ 4"],
    ),
    "of a long text only what differs": (
        {"before": _NUMBERS, "after": _NUMBERS.replace("25", "x")},
        ["@@ data @@", "@@ -24,5 +24,5 @@", " 23", " 24", "-25", "+x", " 26", " 27"],
    ),
    "a secret shows that it changed and nothing else": (
        {"before": "hf_before", "after": "hf_after", "is_secret": True},
        ["@@ data @@", "! changed: a secret, which is not shown"],
    ),
    "what only the update knows": (
        {"change": Change.ADDED, "after": UNKNOWN},
        ["@@ data @@", "+ (known after the update)"],
    ),
    "control characters are escaped": (
        {"before": "a\x1b[2J", "after": "b\u202e\nc"},
        ["@@ data @@", "- a\\x1b[2J", "+ b\\u202e", "+ c"],
    ),
}


def _lines(values: dict[str, Any]) -> list[str]:
    field = FieldChange(**{"path": ("data",), "change": Change.CHANGED} | values)
    return list(resource_lines(changed("ConfigMap a/b", Operation.UPDATE, field)))


@pytest.mark.parametrize("case", _LINES)
def test_a_field_is_told_in_lines_of_a_difference(case: str) -> None:
    values, lines = _LINES[case]
    assert _lines(values) == lines
