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
