from __future__ import annotations

from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

from lab.kubernetes_provider.values import (
    UNKNOWN,
    contains_unknown,
    plain_map,
    to_properties,
    with_secrets_of,
)


def test_whole_floats_become_integers_and_others_stay() -> None:
    given = to_properties({"a": 1.0, "b": 1.5, "c": [2.0], "d": True})
    assert repr(plain_map(given)) == "{'a': 1, 'b': 1.5, 'c': [2], 'd': True}"


def test_nulls_in_maps_are_left_out_and_secrets_are_opened() -> None:
    value = {"a": PropertyValue(None), "b": PropertyValue("x", is_secret=True)}
    assert plain_map(value) == {"b": "x"}


def test_an_unknown_goes_there_and_back_over_the_wire() -> None:
    sent = PropertyValue.marshal_map(to_properties({"a": {"b": [UNKNOWN]}}))
    assert sent.fields["a"].struct_value.fields["b"].list_value.values[0].string_value == rpc.UNKNOWN
    received = plain_map(PropertyValue.unmarshal_map(sent))
    assert received == {"a": {"b": [UNKNOWN]}}
    assert contains_unknown(received)


def test_the_copy_of_a_secret_that_kubectl_leaves_in_an_annotation_is_secret_too() -> None:
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    live = {"kind": "Secret", "metadata": {"annotations": {last_applied: "{data}", "open": "seen"}}}
    metadata: Any = with_secrets_of(to_properties(live), {})["metadata"].value
    found = {key: value.is_secret for key, value in metadata["annotations"].value.items()}
    assert found == {last_applied: True, "open": False}
