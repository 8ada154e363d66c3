"""The state of a stack, as `pulumi stack export` prints it, as a resource graph."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from resource_graph.graph import DuplicateResourceError, ResourceGraph
from resource_graph.input_text import InputError, InputText, read_inputs
from resource_graph.resource import CustomTimeouts, Resource
from resource_graph.urns import provider_urn
from resource_graph.wire import plain_state

# 4 is 3 with features that only newer engines understand; resources look alike in both
# (pulumi/pulumi sdk/go/common/apitype/core.go, DeploymentV3 and DeploymentV4).
_VERSIONS = (3, 4)
_EXPECTED = "expected what `pulumi stack export` prints"
# Each value ends where the next key can begin: a shorter pattern would try every way to part a long line.
_START = re.compile(
    r'\s*\{\s*(?:"(?:version|features)"\s*:(?:[^\[{},]*|\s*\[[^\[\]{}]*\]\s*),\s*)*'
    r'"(?:deployment|checkpoint)"\s*:'
)

_Entry = Mapping[str, object]


class StateError(InputError):
    """A file is no exported state; the text names the file and what was expected of it."""


def looks_like_state(text: str) -> bool:
    """Whether a file's text is meant as a stack's state, also where it then turns out to be broken."""
    return _START.match(text) is not None


def read_state(path: Path) -> ResourceGraph:
    """Everything that the stack manages, in the order in which it was created.

    A secret's value is UNKNOWN, as it is where nobody gives the passphrase. Left out is what the program
    only reads, and what is about to be deleted because its successor exists or will.

    Raises:
        InputError: the file is missing or unreadable.
        StateError: it is no JSON, or holds no state of a known version.
    """
    return state_graph(*read_inputs([path]))


def state_graph(file: InputText) -> ResourceGraph:
    """The same of a text that was read already."""
    path = file.name
    entries = _entries(_deployment(_content(file), path), path)
    try:
        return ResourceGraph(_resource(entry, f"{path}: resources[{index}]") for index, entry in entries)
    except DuplicateResourceError as error:
        raise StateError(f"{path}: the URN {error.urn} stands there twice; {_EXPECTED}") from error
    except RecursionError as error:
        raise StateError(f"{path}: nested too deeply; {_EXPECTED}") from error


def _content(file: InputText) -> object:
    path = file.name
    try:
        return json.loads(file.text)
    except json.JSONDecodeError as error:
        raise StateError(f"{path}, line {error.lineno}: not JSON: {error.msg}; {_EXPECTED}") from error
    except (RecursionError, ValueError) as error:
        raise StateError(f"{path}: not JSON that can be read: {error}; {_EXPECTED}") from error


def _deployment(content: object, path: str) -> _Entry:
    if not isinstance(content, Mapping):
        raise StateError(f"{path}: not a JSON object; {_EXPECTED}")
    state = cast("_Entry", content)
    if "checkpoint" in state:
        raise StateError(f"{path}: a checkpoint out of a backend, with its history; {_EXPECTED}")
    deployment = state.get("deployment")
    if not isinstance(deployment, Mapping):
        raise StateError(f"{path}: no deployment in it; {_EXPECTED}")
    version = state.get("version")
    if version not in _VERSIONS:
        known = " or ".join(map(str, _VERSIONS))
        raise StateError(f"{path}: version {version!r} of a state, where {known} can be read; {_EXPECTED}")
    return cast("_Entry", deployment)


def _entries(deployment: _Entry, path: str) -> Iterator[tuple[int, _Entry]]:
    # A stack in which nothing was ever created has none.
    resources = deployment.get("resources")
    if resources is None:
        return
    if not isinstance(resources, list):
        raise StateError(f"{path}: deployment.resources is no list; {_EXPECTED}")
    for index, entry in enumerate(cast("list[object]", resources)):
        if not isinstance(entry, Mapping):
            raise StateError(f"{path}: resources[{index}] is no JSON object; {_EXPECTED}")
        resource = cast("_Entry", entry)
        if not any(resource.get(mark) for mark in ("delete", "pendingReplacement", "external")):
            yield index, resource


def _resource(entry: _Entry, where: str) -> Resource:
    urn = _text(entry, "urn", where)
    inputs = plain_state(_mapping(entry, "inputs", where))
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
        name=urn.rpartition("::")[2],
        inputs=inputs.values,
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
        secret_paths=inputs.secret_paths,
    )


def _text(entry: _Entry, key: str, where: str) -> str:
    value = _optional_text(entry, key, where)
    if value is None:
        raise StateError(f"{where} has no {key}; {_EXPECTED}")
    return value


def _optional_text(entry: _Entry, key: str, where: str) -> str | None:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise StateError(f"{where}: {key} is no text; {_EXPECTED}")


def _mapping(entry: _Entry, key: str, where: str) -> _Entry:
    value = entry.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise StateError(f"{where}: {key} is no JSON object; {_EXPECTED}")
    return cast("_Entry", value)


def _texts(value: object, key: str, where: str) -> Sequence[str]:
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = [item for item in items if isinstance(item, str)]
    if not isinstance(value, list) or len(texts) != len(items):
        raise StateError(f"{where}: {key} is no list of URNs; {_EXPECTED}")
    return texts


def _seconds(timeouts: _Entry, key: str, where: str) -> float | None:
    value = timeouts.get(key)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise StateError(f"{where}: customTimeouts.{key} is no number of seconds; {_EXPECTED}")
    try:
        # 0 stands for a timeout that nobody set.
        return float(value) or None
    except OverflowError as error:
        raise StateError(f"{where}: customTimeouts.{key} is too large; {_EXPECTED}") from error
