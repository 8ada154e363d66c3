"""Pulumi's wire format (protobuf structs with magic keys) as plain values."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from google.protobuf.struct_pb2 import Struct

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


Decoded = tuple[Mapping[str, Value], frozenset[Path]]
"""Inputs, and where secrets were among them."""


def plain_inputs(struct: Struct) -> Decoded:
    """Decode inputs: unknown markers become UNKNOWN, secrets their value and a remembered path.

    A reference to a resource becomes its id, or for a component its URN, as the engine hands it to a
    policy pack.
    """
    # A Struct acts as a mapping, which its type does not say.
    return _decoded(cast("Mapping[str, object]", struct), reveals_secrets=True)


def plain_state(inputs: Mapping[str, object]) -> Decoded:
    """Decode inputs as a stack's state holds them: a secret is UNKNOWN, and its path is remembered."""
    return _decoded(inputs, reveals_secrets=False)


def duration_seconds(text: str) -> float | None:
    """Seconds in a Go duration such as `1h30m`; None for an empty one.

    Raises:
        ValueError: the engine would refuse it too.
    """
    if not text:
        return None
    parts = _DURATION_PART.findall(text)
    if "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"not a duration: {text!r}; write for example 90s, 20m or 1h30m")
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _decoded(inputs: Mapping[str, object], *, reveals_secrets: bool) -> Decoded:
    secrets: set[Path] = set()

    def plain(value: object, path: Path) -> Value:
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return plain_mapping({str(key): item for key, item in items}, path)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [plain(item, (*path, index)) for index, item in enumerate(cast("Sequence[object]", value))]
        if isinstance(value, float):
            return whole_number(value)
        if value is None or isinstance(value, str | int):
            return UNKNOWN if isinstance(value, str) and value in _UNKNOWN_STRINGS else value
        # An asset or an archive: a file's content, which no rule looks into.
        return UNKNOWN

    def plain_mapping(fields: Mapping[str, object], path: Path) -> Value:
        signature = fields.get(_SIGNATURE)
        if signature == _SECRET:
            secrets.add(path)
            return plain(fields.get("value"), path) if reveals_secrets else UNKNOWN
        if signature == _RESOURCE_REFERENCE:
            target = plain(fields.get("id", fields.get("urn")), path)
            # An empty id is one that is not known yet.
            return target if isinstance(target, str) and target else UNKNOWN
        if signature is not None:
            # An asset or an archive, as above.
            return UNKNOWN
        # The wire keeps no order of keys; sorted, two recordings of one program read alike.
        return {key: plain(item, (*path, key)) for key, item in sorted(fields.items())}

    # Without the SDK's own, such as the code of a dynamic provider, which no policy pack is told.
    own = {key: item for key, item in sorted(inputs.items()) if not key.startswith("__")}
    return {key: plain(item, (key,)) for key, item in own.items()}, frozenset(secrets)
