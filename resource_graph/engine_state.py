"""What the engine writes down of a resource: in a state, a step of a preview, the outputs of the last run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from resource_graph.input_text import InputError
from resource_graph.resource import CustomTimeouts, Resource
from resource_graph.urns import own_type, provider_urn, urn_name
from resource_graph.wire import plain_state

Operation = Literal["creating", "updating", "deleting", "reading", "importing"]

_Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRecord:
    """A resource with what only the engine knows of it (pulumi/pulumi sdk/go/common/apitype, ResourceV3)."""

    resource: Resource
    """A secret among its inputs is UNKNOWN, as it is where nobody gives the passphrase."""
    id: str = ""
    inputs: Mapping[str, Any]
    """Inputs as the state has them, with the engine's marks."""
    outputs: Mapping[str, Any]
    is_going: bool = False
    """Its successor exists (`delete`), or it was deleted to make room for one (`pendingReplacement`)."""
    is_external: bool = False
    """The program only reads it."""
    has_failed: bool = False
    """Its last create or update failed, or it never became ready."""


def read_resources(deployment: _Entry) -> Iterator[EngineRecord]:
    """Everything in an exported deployment, in the order in which it was created.

    Raises:
        InputError: an entry is not what the engine writes.
    """
    # A stack in which nothing was ever created has none.
    for index, entry in enumerate(_list(deployment, "resources")):
        yield read_record(entry, f"resources[{index}]")


def read_pending(deployment: _Entry) -> Iterator[tuple[Operation, EngineRecord]]:
    """The calls that the engine had made, and whose answer it never heard.

    Raises:
        InputError: an entry is not what the engine writes.
    """
    for index, call in enumerate(_list(deployment, "pending_operations")):
        where = f"pending_operations[{index}]"
        operation = cast("Operation", _text(_object(call, where), "type", where))
        yield operation, read_record(call.get("resource"), f"{where}.resource")


def records_of_outputs(resources: Mapping[str, _Entry]) -> tuple[EngineRecord, ...]:
    """What a running program is told of the last run.

    Args:
        resources: URN -> outputs. A provider that keeps there what was asked for beside the live object
            has inputs too; of all others the outputs stand for them.
    """
    return tuple(_of_outputs(urn, outputs) for urn, outputs in resources.items())


def read_record(content: object, where: str) -> EngineRecord:
    """One resource.

    Raises:
        InputError: it is not what the engine writes.
    """
    entry = _object(content, where)
    inputs = _mapping(entry, "inputs", where)
    return EngineRecord(
        resource=_resource(entry, inputs, where),
        id=_optional_text(entry, "id", where) or "",
        inputs=inputs,
        outputs=_mapping(entry, "outputs", where),
        is_going=bool(entry.get("delete") or entry.get("pendingReplacement")),
        is_external=bool(entry.get("external")),
        has_failed=bool(entry.get("initErrors")),
    )


def _resource(entry: _Entry, inputs: _Entry, where: str) -> Resource:
    urn = _text(entry, "urn", where)
    plain = plain_state(inputs)
    property_dependencies = {
        key: frozenset(_texts(urns, f"propertyDependencies.{key}", where))
        for key, urns in _mapping(entry, "propertyDependencies", where).items()
        if urns
    }
    declared = frozenset(_texts(entry.get("dependencies"), "dependencies", where))
    timeouts = _mapping(entry, "customTimeouts", where)
    return Resource(
        urn=urn,
        type=_text(entry, "type", where),
        name=urn_name(urn),
        inputs=plain.values,
        custom=bool(entry.get("custom")),
        parent=_optional_text(entry, "parent", where),
        provider=provider_urn(_optional_text(entry, "provider", where) or ""),
        dependencies=declared.union(*property_dependencies.values()),
        property_dependencies=property_dependencies,
        protect=bool(entry.get("protect")),
        retain_on_delete=bool(entry.get("retainOnDelete")),
        custom_timeouts=CustomTimeouts(
            create=_seconds(timeouts, "create", where),
            update=_seconds(timeouts, "update", where),
            delete=_seconds(timeouts, "delete", where),
        ),
        secret_paths=plain.secret_paths,
    )


def _of_outputs(urn: str, outputs: _Entry) -> EngineRecord:
    # pulumi-kubernetes provider/pkg/provider.
    applied = outputs.get("__inputs")
    inputs = cast("_Entry", applied) if applied and isinstance(applied, Mapping) else outputs
    resource = Resource(urn=urn, type=own_type(urn), name=urn_name(urn), inputs=inputs)
    return EngineRecord(resource=resource, inputs=inputs, outputs=outputs)


def _object(content: object, where: str) -> _Entry:
    if not isinstance(content, Mapping):
        raise InputError(f"{where} is no JSON object")
    return cast("_Entry", content)


def _list(deployment: _Entry, key: str) -> Sequence[Any]:
    return _optional(deployment, key, list, "deployment", "list") or ()


def _text(entry: _Entry, key: str, where: str) -> str:
    value = _optional_text(entry, key, where)
    if value is None:
        raise InputError(f"{where} has no {key}")
    return value


def _optional_text(entry: _Entry, key: str, where: str) -> str | None:
    return _optional(entry, key, str, where, "text") or None


def _mapping(entry: _Entry, key: str, where: str) -> _Entry:
    return _optional(entry, key, Mapping, where, "JSON object") or {}


def _optional(entry: _Entry, key: str, kind: type[Any], where: str, noun: str) -> Any:
    value = entry.get(key)
    if value is not None and not isinstance(value, kind):
        raise InputError(f"{where}: {key} is no {noun}")
    return value


def _texts(value: object, key: str, where: str) -> Sequence[str]:
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = [item for item in items if isinstance(item, str)]
    if value is not None and (not isinstance(value, list) or len(texts) != len(items)):
        raise InputError(f"{where}: {key} is no list of URNs")
    return texts


def _seconds(timeouts: _Entry, key: str, where: str) -> float | None:
    value = timeouts.get(key)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InputError(f"{where}: customTimeouts.{key} is no number of seconds")
    try:
        # 0 stands for a timeout that nobody set.
        return float(value) or None
    except OverflowError as error:
        raise InputError(f"{where}: customTimeouts.{key} is too large") from error
