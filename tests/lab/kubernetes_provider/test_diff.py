from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.diff import difference, path_text
from lab.kubernetes_provider.values import UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            {"spec": {"a": 1, "b": 2, "c": 3}},
            {"spec": {"a": 1, "b": 5, "d": 4}},
            {"spec.b": "UPDATE", "spec.c": "DELETE", "spec.d": "ADD"},
        ),
        # Lists by index.
        (
            {"l": [{"name": "a", "value": 1}, {"name": "b"}]},
            {"l": [{"name": "a", "value": 2}, {"name": "b"}, {"name": "c"}]},
            {"l[0].value": "UPDATE", "l[2]": "ADD"},
        ),
        ({"l": [1, 2]}, {"l": [1]}, {"l[1]": "DELETE"}),
        ({"a": 1}, {"a": UNKNOWN, "b": UNKNOWN}, {"a": "UPDATE", "b": "ADD"}),
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": 1}, {"a": True}, {"a": "UPDATE"}),
        ({"a": 4}, {"a": "4"}, {"a": "UPDATE"}),
        ({"a": {}}, {"a": []}, {"a": "UPDATE"}),
    ],
)
def test_what_differs_is_told_by_its_path(
    old: dict[str, Any], new: dict[str, Any], found: dict[str, str]
) -> None:
    assert _changes(old, new) == found


def test_keys_with_dots_are_quoted_in_paths() -> None:
    assert path_text(("metadata", "annotations", "a.b/c", 0)) == 'metadata.annotations["a.b/c"][0]'


def test_ignored_paths_cover_what_lies_below_them_and_nothing_beside_them() -> None:
    old, new = {"a": {"x": 1}, "ab": 1}, {"a": {"x": 2}, "ab": 2}
    assert _changes(old, new, ignored=["a"]) == {"ab": "UPDATE"}


def test_an_empty_value_that_was_sent_before_and_not_stored_is_no_difference() -> None:
    new = {"spec": {"hostNetwork": False, "replicas": 0}}
    assert _changes({"spec": {}}, new, old_inputs={"spec": {"hostNetwork": False}}) == {
        "spec.replicas": "ADD"
    }
    # Of a custom resource nothing is known, so everything counts.
    assert set(_changes({"spec": {}}, new)) == {"spec.hostNetwork", "spec.replicas"}


def _changes(old: dict[str, Any], new: dict[str, Any], **options: Any) -> dict[str, str]:
    return {path: change.change.value for path, change in difference(old, new, **options).fields.items()}
