"""Property values of Kubernetes objects: what is always secret in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lab.provider_service import values as shared
from lab.provider_service.values import (
    UNKNOWN,
    Properties,
    Unknown,
    contains_unknown,
    plain_map,
    to_properties,
    to_property,
)

if TYPE_CHECKING:
    from pulumi.provider.experimental.property_value import PropertyValue

__all__ = [
    "UNKNOWN",
    "Properties",
    "Unknown",
    "contains_unknown",
    "plain_map",
    "to_properties",
    "to_property",
    "with_secrets_of",
]

_SECRET_DATA = ("data", "stringData")
_LAST_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")


def with_secrets_of(outputs: Properties, inputs: Mapping[str, PropertyValue]) -> Properties:
    """The outputs with every entry secret that is secret, or holds a secret outside a map, in the inputs.

    The data and stringData of a Secret are secret whatever the inputs say, here and where the inputs
    hold an object as well (`__inputs` of a state).
    """
    marked = shared.with_secrets_of(outputs, inputs)
    for key, given in inputs.items():
        inner, below = (marked[key].value, given.value) if key in marked else (None, None)
        if isinstance(inner, Mapping) and isinstance(below, Mapping) and not given.is_secret:
            marked[key] = marked[key].with_value(with_secrets_of(dict(inner), below))
    kind = marked.get("kind")
    if kind is None or kind.value != "Secret":
        return marked
    for key in _SECRET_DATA:
        marked = _with_secret_at(marked, key)
    # `kubectl apply` leaves a copy of all data there, which a refresh would carry into the state.
    return _with_secret_at(marked, *_LAST_APPLIED)


def _with_secret_at(properties: Properties, key: str, *below: str) -> Properties:
    value = properties.get(key)
    if value is None:
        return properties
    if not below:
        return {**properties, key: value.with_secret(is_secret=True)}
    if not isinstance(value.value, Mapping):
        return properties
    return {**properties, key: value.with_value(_with_secret_at(dict(value.value), *below))}
