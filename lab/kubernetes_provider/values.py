"""Property values of Kubernetes objects: keys that the SDKs spell otherwise, and what is always secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lab.provider_service import values as shared
from lab.provider_service.values import UNKNOWN, Properties, Unknown, contains_unknown

if TYPE_CHECKING:
    from pulumi.provider.experimental.property_value import PropertyValue

__all__ = [
    "UNKNOWN",
    "Properties",
    "Unknown",
    "contains_unknown",
    "plain",
    "plain_map",
    "to_properties",
    "to_property",
    "with_secrets_of",
]

# The SDKs cannot spell these keys of a CustomResourceDefinition's schema with dashes.
_DASHED_KEYS = {
    key.replace("-", "_"): key
    for key in (
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    )
}
_UNDERSCORED_KEYS = {dashed: underscored for underscored, dashed in _DASHED_KEYS.items()}
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def plain(value: PropertyValue) -> Any:
    """The value without secrets and without null map entries; whole floats become integers."""
    return shared.plain(value, _DASHED_KEYS)


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    """plain() for every entry that is not null."""
    return shared.plain_map(values, _DASHED_KEYS)


def to_property(value: Any) -> PropertyValue:
    """The property value of plain data, UNKNOWN included."""
    return shared.to_property(value, _UNDERSCORED_KEYS)


def to_properties(values: Mapping[str, Any]) -> Properties:
    """to_property() for every entry."""
    return shared.to_properties(values, _UNDERSCORED_KEYS)


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
    if kind is not None and kind.value == "Secret":
        _mark_secret(marked)
    return marked


def _mark_secret(secret: Properties) -> None:
    for key in ("data", "stringData"):
        if key in secret:
            secret[key] = secret[key].with_secret(is_secret=True)
    metadata = secret.get("metadata")
    if metadata is None or not isinstance(metadata.value, Mapping):
        return
    annotations = metadata.value.get("annotations")
    if (
        annotations is not None
        and isinstance(annotations.value, Mapping)
        and _LAST_APPLIED in annotations.value
    ):
        # `kubectl apply` leaves a copy of all data there, which an import would carry into the state.
        hidden = annotations.value[_LAST_APPLIED].with_secret(is_secret=True)
        marked = annotations.with_value({**annotations.value, _LAST_APPLIED: hidden})
        secret["metadata"] = metadata.with_value({**metadata.value, "annotations": marked})
