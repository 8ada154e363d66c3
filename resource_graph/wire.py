"""Pulumi's wire format (protobuf structs with magic keys) as plain values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from google.protobuf.struct_pb2 import Struct
from google.protobuf.struct_pb2 import Value as WireValue

from resource_graph.values import UNKNOWN, Path, Value, whole_number

# The keys and values are fixed by the engine: pulumi/pulumi sdk/go/common/resource/properties.go,
# sdk/go/common/resource/plugin/rpc.go.
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the format's marker of a secret, not a secret
_RESOURCE_REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
_UNKNOWN_STRINGS = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)

_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(h|m(?!s)|s|ms)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclass(frozen=True, slots=True)
class PlainInputs:
    """Decoded inputs, and where secrets were among them."""

    values: Mapping[str, Value]
    secret_paths: frozenset[Path]


def is_unknown_marker(value: object) -> bool:
    """Whether a wire value stands for one that only the update will know."""
    return isinstance(value, str) and value in _UNKNOWN_STRINGS


def plain_inputs(struct: Struct) -> PlainInputs:
    """Decode inputs: unknown markers become UNKNOWN, secrets their value and a remembered path.

    A reference to a resource becomes its id, or for a component its URN, as the engine hands it to a
    policy pack.
    """
    secrets: set[Path] = set()
    fields = _plain_fields(struct, (), secrets)
    return PlainInputs(_of_the_program(fields), frozenset(secrets))


def duration_seconds(text: str) -> float | None:
    """Seconds in a Go duration such as `1h30m`; None for an empty one.

    Raises:
        ValueError: the engine would refuse it too.
    """
    if not text:
        return None
    parts = _DURATION_PART.findall(text)
    if "".join(number + unit for number, unit in parts) != text:
        message = f"not a duration: {text!r}; write for example 90s, 20m or 1h30m"
        raise ValueError(message)
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _plain(value: WireValue, path: Path, secrets: set[Path]) -> Value:
    match value.WhichOneof("kind"):
        case "string_value":
            return UNKNOWN if is_unknown_marker(value.string_value) else value.string_value
        case "number_value":
            return whole_number(value.number_value)
        case "bool_value":
            return value.bool_value
        case "list_value":
            items = enumerate(value.list_value.values)
            return [_plain(item, (*path, index), secrets) for index, item in items]
        case "struct_value":
            return _plain_struct(value.struct_value, path, secrets)
        case _:
            return None


def _plain_struct(struct: Struct, path: Path, secrets: set[Path]) -> Value:
    fields = struct.fields
    signature = fields[_SIGNATURE].string_value if _SIGNATURE in fields else ""
    if signature == _SECRET:
        secrets.add(path)
        return _plain(fields["value"], path, secrets)
    if signature == _RESOURCE_REFERENCE:
        target = _plain(fields["id" if "id" in fields else "urn"], path, secrets)
        # An empty id is one that is not known yet.
        return UNKNOWN if target == "" else target
    return _plain_fields(struct, path, secrets)


def _plain_fields(struct: Struct, path: Path, secrets: set[Path]) -> dict[str, Value]:
    # The wire keeps no order of keys; sorted, two recordings of one program read alike.
    return {key: _plain(struct.fields[key], (*path, key), secrets) for key in sorted(struct.fields)}


def plain_state(inputs: Mapping[str, object]) -> PlainInputs:
    """Decode inputs as a stack's state holds them: a secret is UNKNOWN, and its path is remembered."""
    secrets: set[Path] = set()
    values = {key: _plain_state(value, (key,), secrets) for key, value in sorted(inputs.items())}
    return PlainInputs(_of_the_program(values), frozenset(secrets))


def _of_the_program(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Without the SDK's own, such as the code of a dynamic provider, which no policy pack is told."""
    return {key: value for key, value in values.items() if not key.startswith("__")}


def _plain_state(value: object, path: Path, secrets: set[Path]) -> Value:
    if isinstance(value, Mapping):
        entries = {str(key): item for key, item in cast("Mapping[object, object]", value).items()}
        signature = entries.get(_SIGNATURE)
        if signature == _SECRET:
            secrets.add(path)
            return UNKNOWN
        if signature == _RESOURCE_REFERENCE:
            target = entries.get("id", entries.get("urn"))
            # An empty id is one that is not known yet.
            return target if isinstance(target, str) and target else UNKNOWN
        if signature is not None:
            # An asset or an archive: a file's content, which no rule looks into.
            return UNKNOWN
        return {key: _plain_state(item, (*path, key), secrets) for key, item in sorted(entries.items())}
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [_plain_state(item, (*path, index), secrets) for index, item in items]
    return plain_json(value)


def plain_json(value: object) -> Value:
    """Decode what JSON leaves of the wire format once its secrets are unwrapped: markers and numbers."""
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {str(key): plain_json(item) for key, item in items}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_json(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, float):
        return whole_number(value)
    if value is None or isinstance(value, str | int):
        return UNKNOWN if is_unknown_marker(value) else value
    # An asset or an archive: a file's content, which no rule looks into.
    return UNKNOWN
