from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lab.kubernetes_provider.diff import Change, difference, path_text
from lab.kubernetes_provider.values import UNKNOWN

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
_MAPS = st.dictionaries(st.text("abc", min_size=1, max_size=2), _JSON, max_size=3)


def _changes(old: dict[str, Any], new: dict[str, Any], **options: Any) -> dict[str, str]:
    return {path: change.change.value for path, change in difference(old, new, **options).fields.items()}


def test_added_changed_and_removed_fields_are_told_apart() -> None:
    old = {"spec": {"a": 1, "b": 2, "c": 3}}
    new = {"spec": {"a": 1, "b": 5, "d": 4}}
    assert _changes(old, new) == {"spec.b": "UPDATE", "spec.c": "DELETE", "spec.d": "ADD"}


def test_lists_are_compared_by_index() -> None:
    old = {"l": [{"name": "a", "value": 1}, {"name": "b"}]}
    new = {"l": [{"name": "a", "value": 2}, {"name": "b"}, {"name": "c"}]}
    assert _changes(old, new) == {"l[0].value": "UPDATE", "l[2]": "ADD"}
    assert _changes(new, old) == {"l[0].value": "UPDATE", "l[2]": "DELETE"}


def test_an_unknown_is_an_update_or_an_addition() -> None:
    assert _changes({"a": 1}, {"a": UNKNOWN, "b": UNKNOWN}) == {"a": "UPDATE", "b": "ADD"}


def test_one_and_one_point_nought_are_the_same_but_one_and_true_are_not() -> None:
    assert _changes({"a": 1}, {"a": 1.0}) == {}
    assert _changes({"a": 1}, {"a": True}) == {"a": "UPDATE"}
    assert _changes({"a": 4}, {"a": "4"}) == {"a": "UPDATE"}


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


@given(_MAPS)
def test_nothing_differs_from_itself(value: dict[str, Any]) -> None:
    assert difference(value, value).fields == {}


@given(_MAPS, _MAPS)
def test_whatever_is_unequal_differs_somewhere(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = difference(old, new)
    assert bool(found.fields) == (old != new or _tells_booleans_apart(old, new))
    assert all(change.change in Change for change in found.fields.values())


def _tells_booleans_apart(old: Any, new: Any) -> bool:
    return repr(old) != repr(new) and old == new and bool(difference(old, new).fields)
