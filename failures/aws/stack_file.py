"""The settings as the stack's file has them, for messages that name one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

SYSTEM_NODES = "cluster.systemNodes"
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class StackFile:
    """A stack's file."""

    source: str
    """Name of the file, as a person writes it: Pulumi.mine.yaml."""
    values: object
    """As YAML has them."""

    def value(self, key: str) -> object:
        """Return the value at a key such as nodePools[0].zone; None where there is none."""
        found: Any = self.values
        for name, index in _PART.findall(key):
            if name:
                found = cast("Any", found).get(name) if isinstance(found, Mapping) else None
            else:
                listed = isinstance(found, Sequence) and not isinstance(found, str)
                found = cast("Any", found)[int(index)] if listed and int(index) < len(found) else None
        return found

    def nodes_of(self, resource_name: str) -> str | None:
        """Return the key of the nodes that a resource belongs to, by the resource's name in the program."""
        if resource_name.startswith("system-nodes"):
            return SYSTEM_NODES
        pools = self.value("nodePools")
        if not isinstance(pools, Sequence):
            return None
        names = [pool.get("name") if isinstance(pool, Mapping) else None for pool in cast("Any", pools)]
        of_it = [name for name in names if name and f"{resource_name}-".startswith(f"{name}-nodes-")]
        # Both "a" and "a-nodes" begin the name of the template of pool "a-nodes".
        return f"nodePools[{names.index(max(of_it, key=len))}]" if of_it else None

    def line(self, key: str) -> str:
        """Return the setting as a line: file, key, value."""
        value = self.value(key)
        return (
            f"{self.source}: {key} = {_shown(value)}"
            if value is not None
            else f"{self.source}: {key}, not typed"
        )


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in fields.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_shown(item) for item in cast("Sequence[object]", value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
