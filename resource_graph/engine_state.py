"""What the engine writes down of a resource: in a state, a step of a preview, the outputs of the last run.

All in its wire format (protobuf structs with magic keys), whose values become plain ones here.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from google.protobuf.struct_pb2 import Struct
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from resource_graph.graph import DuplicateResourceError, ResourceGraph
from resource_graph.input_text import InputError, InputText, first_problem
from resource_graph.resource import CustomTimeouts, Resource, set_timeouts
from resource_graph.urns import own_type, provider_urn, urn_name
from resource_graph.values import UNKNOWN, Path, Value

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


_CHECKPOINT = re.compile(r'\s*\{[^{}]*"checkpoint"\s*:')


class _Written(BaseModel):
    """A JSON object of the engine's; what nobody here reads is left out."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, content: Any) -> Any:
        if not isinstance(content, Mapping):
            return content
        written = cast("Mapping[str, Any]", content)
        return {key: value for key, value in written.items() if value is not None}


class EngineRecord(_Written):
    """A resource with what only the engine knows of it (pulumi/pulumi sdk/go/common/apitype, ResourceV3)."""

    urn: str = Field(min_length=1)
    type: str = Field(min_length=1)
    custom: bool = False
    id: str = ""
    inputs: Mapping[str, Any] = {}
    """Inputs as the state has them, with the engine's marks."""
    outputs: Mapping[str, Any] = {}
    parent: str = ""
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...] | None] = {}
    protect: bool = False
    retain_on_delete: bool = False
    custom_timeouts: CustomTimeouts = CustomTimeouts()
    delete: bool = False
    """Its successor exists."""
    pending_replacement: bool = False
    """It was deleted to make room for its successor."""
    external: bool = False
    """The program only reads it."""
    init_errors: tuple[str, ...] = ()
    """Why its last create or update failed, or why it never became ready."""

    @property
    def is_going(self) -> bool:
        """Whether its successor exists or will."""
        return self.delete or self.pending_replacement

    @cached_property
    def resource(self) -> Resource:
        """The resource; a secret among its inputs is UNKNOWN, as where nobody gives the passphrase."""
        inputs, secret_paths = plain_state(self.inputs)
        by_property = {key: frozenset(urns) for key, urns in self.property_dependencies.items() if urns}
        timeouts = self.custom_timeouts
        return Resource(
            urn=self.urn,
            type=self.type,
            name=urn_name(self.urn),
            inputs=inputs,
            custom=self.custom,
            parent=self.parent or None,
            provider=provider_urn(self.provider),
            dependencies=frozenset(self.dependencies).union(*by_property.values()),
            property_dependencies=by_property,
            protect=self.protect,
            retain_on_delete=self.retain_on_delete,
            custom_timeouts=set_timeouts(timeouts.create, timeouts.update, timeouts.delete),
            secret_paths=secret_paths,
        )


class PendingOperation(_Written):
    """A call that the engine had made, and whose answer it never heard."""

    type: str
    """Such as creating, updating, deleting or importing."""
    resource: EngineRecord


class Deployment(_Written):
    """What the engine knows of a stack; nothing, for one in which nothing was ever created."""

    model_config = ConfigDict(alias_generator=None)

    resources: tuple[EngineRecord, ...] = ()
    """In the order in which they were created."""
    pending_operations: tuple[PendingOperation, ...] = ()


class _Exported(_Written):
    # 4 is 3 with features that only newer engines understand; resources look alike in both
    # (pulumi/pulumi sdk/go/common/apitype/core.go, DeploymentV3 and DeploymentV4), and older ones do not.
    version: int = Field(ge=3)
    deployment: Deployment


def read_export(text: str) -> Deployment:
    """Read what `pulumi stack export` prints.

    Raises:
        InputError: the text is no JSON, or holds no state of a known version.
    """
    try:
        return _Exported.model_validate_json(text).deployment
    except ValidationError as error:
        is_checkpoint = _CHECKPOINT.match(text) is not None
        said = "a checkpoint out of a backend, with its history" if is_checkpoint else first_problem(error)
        raise InputError(f"{said}; expected what `pulumi stack export` prints") from error


def read_record(content: object, where: str) -> EngineRecord:
    """Read one resource.

    Raises:
        InputError: it is not what the engine writes.
    """
    try:
        return EngineRecord.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{where}: {first_problem(error)}") from error


def records_of_outputs(resources: Mapping[str, Mapping[str, Any]]) -> tuple[EngineRecord, ...]:
    """What a running program is told of the last run.

    Args:
        resources: URN -> outputs. A provider that keeps there what was asked for beside the live object
            has inputs too (pulumi-kubernetes provider/pkg/provider); of all others the outputs stand for
            them.
    """
    return tuple(
        EngineRecord(urn=urn, type=own_type(urn), inputs=_applied(outputs) or outputs, outputs=outputs)
        for urn, outputs in resources.items()
    )


# Each value ends where the next key can begin: a shorter pattern would try every way to part a long line.
_START = re.compile(
    r'\s*\{\s*(?:"(?:version|features)"\s*:(?:[^\[{},]*|\s*\[[^\[\]{}]*\]\s*),\s*)*'
    r'"(?:deployment|checkpoint)"\s*:'
)


def looks_like_state(text: str) -> bool:
    """Whether a file's text is meant as a stack's state, also where it then turns out to be broken."""
    return _START.match(text) is not None


def state_graph(file: InputText) -> ResourceGraph:
    """Everything that the stack of an exported state manages, in the order in which it was created.

    A secret's value is UNKNOWN, as it is where nobody gives the passphrase. Left out is what the program
    only reads, and what is about to be deleted because its successor exists or will.

    Raises:
        InputError: the file is no JSON, or holds no state of a known version.
    """
    name, text = file
    try:
        records = read_export(text).resources
        return ResourceGraph(each.resource for each in records if not each.is_going and not each.external)
    except (InputError, DuplicateResourceError) as error:
        raise InputError(f"{name}: {error}") from error


def _decoded(inputs: Mapping[str, object], *, reveals_secrets: bool) -> Decoded:
    secrets: set[Path] = set()

    def plain(value: object, path: Path) -> Value:
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return plain_mapping({str(key): item for key, item in items}, path)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [plain(item, (*path, index)) for index, item in enumerate(cast("Sequence[object]", value))]
        if isinstance(value, float):
            # The wire has floating-point numbers only, and a Kubernetes API server refuses `replicas: 1.0`.
            return int(value) if value.is_integer() else value
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


def _applied(outputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    applied = outputs.get("__inputs")
    return cast("Mapping[str, Any]", applied) if isinstance(applied, Mapping) else None
