"""Helm releases, whose charts are not part of a recording."""

from __future__ import annotations

from typing import Any

import pytest

from tests.comparison.resources_of_tests import resource, said_of

_RELEASE = resource(
    "kubernetes:helm.sh/v3:Release",
    "platform",
    {
        "chart": "platform",
        "name": "platform",
        "namespace": "system",
        "version": "1.2.1",
        "values": {"a": {"b": 1}},
    },
)
_CHANGES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "values and version are upgraded in place, and what restarts is not known": (
        {"values/a/b": 2, "version": "1.4.2"},
        [
            "updated: Release platform",
            "# Helm upgrades it in place; which of the chart's objects change or restart is not compared.",
            "@@ values.a.b @@",
            "- 1",
            "+ 2",
            "@@ version @@",
            "- 1.2.1",
            "+ 1.4.2",
        ],
    ),
    "another namespace is another release beside the old one": (
        {"namespace": "other"},
        [
            "replaced: Release platform",
            "# Helm cannot change namespace of a release.",
            "@@ namespace (replaces) @@",
            "- system",
            "+ other",
        ],
    ),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_one_change_of_a_release(case: str) -> None:
    values, words = _CHANGES[case]
    assert said_of(_RELEASE, values) == words
