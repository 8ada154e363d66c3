"""What of a service's pods is no longer the same, in words that a person uses in a stack file."""

from collections.abc import Iterable, Mapping
from typing import cast

from stacks.updates.graph import Service

# The first that fits names a changed path.
_WORDS = (
    ("configMap", "engine files"),
    ("args", "command"),
    ("image", "image"),
    ("resources", "sizes"),
    ("sharedMemory", "sizes"),
    ("resourceClaims", "placement"),
    ("affinity", "placement"),
    ("nodeSelector", "placement"),
    ("tolerations", "placement"),
    ("topologySpreadConstraints", "placement"),
    ("annotations", "rollout"),
    ("volume", "model cache"),
)


def differences(before: Iterable[Service], now: Mapping[str, Service]) -> list[str]:
    """Return what has changed in any of the services that are there before and now, each once."""
    found: dict[str, None] = {}
    for service in before:
        old, new = _flat(service.template), _flat(now[service.name].template)
        for path in sorted(old.keys() | new.keys()):
            if old.get(path) != new.get(path):
                found[_word(path)] = None
    return list(found)


def _word(path: tuple[str, ...]) -> str:
    if "env" in path:
        return path[path.index("env") + 1]
    for key, word in _WORDS:
        if any(step.startswith(key) for step in path):
            return word
    return path[-1]


def _flat(value: object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    """Return the leaves by their paths; an item of a list by its name, where it has one."""
    if isinstance(value, Mapping):
        items = [(str(key), item) for key, item in cast("Mapping[object, object]", value).items()]
    elif isinstance(value, list):
        items = [(_name(item, index), item) for index, item in enumerate(cast("list[object]", value))]
    else:
        return {path: value}
    return {found: leaf for key, item in items for found, leaf in _flat(item, (*path, key)).items()}


def _name(item: object, index: int) -> str:
    named: object = cast("Mapping[str, object]", item).get("name") if isinstance(item, Mapping) else None
    return named if isinstance(named, str) else str(index)
