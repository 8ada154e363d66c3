"""Pulumi property values as plain Python, and secrets carried from inputs to outputs.

The engine sends trees of PropertyValue. Everything that looks at a resource works on plain dicts,
lists and scalars in which an unknown is UNKNOWN; what goes back to the engine gets its secrets from
the inputs again, so that no code in between can lose one by forgetting it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

Properties = dict[str, PropertyValue]


class Unknown:
    """The type of UNKNOWN: a value that only an update can tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __deepcopy__(self, memo: dict[int, Any]) -> Unknown:
        return self


UNKNOWN: Final = Unknown()


def plain(value: PropertyValue) -> Any:
    """The value without secrets and without null map entries; whole floats become integers."""
    inner: Any = value.value
    # The SDK leaves the wire's text for an unknown as it is.
    if inner == rpc.UNKNOWN:
        return UNKNOWN
    if isinstance(inner, float):
        # JSON numbers reach a plugin as floats; an API refuses 1.0 where it wants an integer.
        return int(inner) if inner.is_integer() else inner
    if isinstance(inner, Mapping):
        return plain_map(inner)
    if isinstance(inner, Sequence) and not isinstance(inner, str):
        return [plain(item) for item in inner]
    return inner


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    """plain() for every entry that is not null."""
    return {key: plain(value) for key, value in values.items() if value.value is not None}


def to_property(value: Any) -> PropertyValue:
    """The property value of plain data, UNKNOWN included."""
    if isinstance(value, PropertyValue):
        return value
    if isinstance(value, Mapping):
        return PropertyValue(to_properties(value))
    if isinstance(value, list | tuple):
        return PropertyValue([to_property(item) for item in value])
    return PropertyValue(_scalar(value))


def to_properties(values: Mapping[str, Any]) -> Properties:
    """to_property() for every entry."""
    return {key: to_property(value) for key, value in values.items()}


def contains_unknown(value: Any) -> bool:
    """Whether plain data holds an UNKNOWN at any depth."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, Mapping):
        return any(contains_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(contains_unknown(item) for item in value)
    return False


def with_secrets_of(outputs: Properties, inputs: Mapping[str, PropertyValue]) -> Properties:
    """The outputs with every entry secret that is secret, or holds a secret outside a map, in the inputs.

    A list with one secret becomes secret whole: its order may differ between input and output.
    """
    marked = dict(outputs)
    for key, given in inputs.items():
        if key in marked:
            marked[key] = _with_secret_of(marked[key], given)
    return marked


def _scalar(value: Any) -> Any:
    if isinstance(value, Unknown):
        # The wire's own text for an unknown: the SDK's Computed cannot be marshalled.
        return rpc.UNKNOWN
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_integer else value


def _with_secret_of(output: PropertyValue, given: PropertyValue) -> PropertyValue:
    if given.is_secret:
        return output.with_secret(is_secret=True)
    if isinstance(output.value, Mapping) and isinstance(given.value, Mapping):
        return output.with_value(with_secrets_of(dict(output.value), given.value))
    if given.contains_secret():
        return output.with_secret(is_secret=True)
    return output
