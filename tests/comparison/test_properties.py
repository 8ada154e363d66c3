"""What holds for any two recordings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from comparison.resources import compare
from resource_graph import UNKNOWN
from tests.comparison.resources_of_tests import kubernetes_object, shuffled

if TYPE_CHECKING:
    import random

    from resource_graph import Resource

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from(["", "a", "1", "1Gi", "a: 1\nb: 2"]),
    st.just(UNKNOWN),
)  # fmt: skip
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["name", "spec", "args", "ports", "containers", "key"]), inner, max_size=3
        ),
    ),
    max_leaves=12,
)
_INPUTS = st.dictionaries(
    st.sampled_from(["spec", "data", "metadata", "type", "immutable"]), _VALUES, max_size=4
)
_KINDS = st.sampled_from(
    [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("batch/v1", "Job"),
        ("nvidia.com/v1beta1", "DynamoGraphDeployment"),
        ("example.com/v1", "Thing"),
    ]
)


def _any_object(kind: tuple[str, str], name: str, inputs: dict[str, Any]) -> Resource:
    made = kubernetes_object(*kind, name)
    content = {key: value for key, value in inputs.items() if key != "metadata"}
    return replace(made, inputs={**made.inputs, **content})


_OBJECTS = st.lists(
    st.builds(_any_object, _KINDS, st.sampled_from(["a", "b", "c-0123456789", "c-abcdefabcd"]), _INPUTS),
    max_size=4,
    unique_by=lambda each: each.urn,
)


@settings(max_examples=50, deadline=None)
@given(base=_OBJECTS, head=_OBJECTS, order=st.randoms())
def test_the_order_of_keys_is_no_change_and_changes_no_word(
    base: list[Resource], head: list[Resource], order: random.Random
) -> None:
    other_base, other_head = ([shuffled(each, order) for each in side] for side in (base, head))
    assert compare(base, other_base) == ()
    assert compare(other_base, other_head) == compare(base, head)
