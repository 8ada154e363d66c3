"""The lab's provider of Kubernetes objects, which shares no code with the comparison."""

from collections.abc import Mapping
from typing import Any

from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.forced_replacement import forcing_paths
from lab.kubernetes_provider.normalise import normalised
from resource_graph import Resource
from tests.comparison.resources_of_tests import said_of, with_values


def assert_said(before: Resource, values: Mapping[str, Any], words: list[str]) -> None:
    """What is said of the other values is right, of a replacement by the lab's provider too."""
    assert said_of(before, values) == words
    assert "".join(words[:1]).startswith("replaced") is _is_replaced(before, values)


def _is_replaced(before: Resource, values: Mapping[str, Any]) -> bool:
    """Whether it makes another object for these values."""
    old, new = (normalised(dict(each.inputs)) for each in (before, with_values(before, values)))
    asked = tuple(f".{path}" for path in before.replace_on_changes)
    forcing = forcing_paths(new) + asked
    return bool(difference(old, new, forcing, old_inputs=old).replaces)
