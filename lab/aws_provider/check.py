"""Check: is this a type and are these inputs that the catalogue maps, and what is the name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.catalogue import TYPES
from lab.aws_provider.errors import UnmappedInputError
from lab.aws_provider.mapping import mapped
from lab.provider_service.errors import ProviderError
from lab.provider_service.naming import name_of, token_of, unique_name

if TYPE_CHECKING:
    from lab.aws_provider.resource_type import ResourceType


Failure = tuple[str, str]
"""An input, and why it is refused."""

_HEX_DIGITS = 7


def kind_of(urn: str) -> ResourceType:
    """The catalogue's entry of a resource. Raises ProviderError where there is none."""
    token = token_of(urn)
    if token not in TYPES:
        raise ProviderError(f"this stand-in does not serve the resource type {token}")
    return TYPES[token]


def check(
    urn: str, old: dict[str, Any], new: dict[str, Any], seed: bytes
) -> tuple[dict[str, Any], list[Failure]]:
    """The inputs, with a name where the type needs one, and what is refused."""
    kind, inputs = kind_of(urn), dict(new)
    if kind.name and not inputs.get(kind.name):
        inputs[kind.name] = old.get(kind.name) or unique_name(name_of(urn), seed, _HEX_DIGITS)
    known = {*kind.inputs, *(("tags",) if kind.tagging else ())}
    failures = [
        (key, f"this stand-in does not map the input {key!r} of {kind.pulumi_type}")
        for key in sorted(set(inputs) - known)
    ]
    try:
        mapped(kind, inputs)
    except UnmappedInputError as error:
        failures.append(("", str(error)))
    except (TypeError, ValueError, AttributeError) as error:
        failures.append(("", f"an input of {kind.pulumi_type} has a wrong type: {error}"))
    return inputs, failures
