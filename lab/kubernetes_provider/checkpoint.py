"""What the engine's state keeps of an object: the live object and, beside it, the inputs it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.values import Properties, plain_map, to_properties, to_property, with_secrets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi.provider.experimental.property_value import PropertyValue

INPUTS = "__inputs"
_FIELD_MANAGER = "__fieldManager"


@dataclass(frozen=True)
class Checkpoint:
    """A recorded object, without secrets' marks."""

    live: dict[str, Any]
    inputs: dict[str, Any]
    field_manager: str | None

    @classmethod
    def parse(cls, state: Mapping[str, PropertyValue]) -> Checkpoint:
        """Reads a state as record() wrote it."""
        live = plain_map(state)
        inputs, field_manager = (live.pop(key, None) for key in (INPUTS, _FIELD_MANAGER))
        return cls(live, inputs if isinstance(inputs, dict) else {}, field_manager)


def record(
    live: dict[str, Any],
    inputs: dict[str, Any],
    secrets_from: Mapping[str, PropertyValue],
    field_manager: str,
) -> Properties:
    """The state of an object; what is secret in `secrets_from` is secret in both of its halves."""
    return {
        **with_secrets_of(to_properties(live), secrets_from),
        INPUTS: to_property(with_secrets_of(to_properties(inputs), secrets_from)),
        _FIELD_MANAGER: to_property(field_manager),
    }
