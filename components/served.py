"""What a graph and a server of the engine's own have in common, and the ConfigMap with the engine's files."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from components import deletion
from components.options import Resources, child


class Served(NamedTuple):
    """What a graph and a server of the engine's own have in common."""

    name: str
    namespace: str
    engine_config_map_name: str | None
    """Ends in a hash of the content; None where the engine reads no file."""
    engine_files: Mapping[str, str]
    ready_timeout_seconds: int
    inputs: Mapping[str, Any]
    """The inputs of the component, which rules read (stacks/program/served_model.py)."""


def engine_files_map(reader: pulumi.Resource, served: Served, depends_on: Resources) -> list[pulumi.Resource]:
    """Register the files of an engine below what reads them; nothing for an engine without files.

    A change of content changes the name, also the logical one, so that it is another resource: the new one is
    made first, the pods roll, and the old one, which no program asks for any more, goes last. A replaced one
    would be marked for deletion as soon as its successor exists; where the roll then fails and the change is
    taken back, the engine would create what exists, and delete it last.
    """
    name = served.engine_config_map_name
    if name is None:
        return []
    return [
        ConfigMap(
            name,
            metadata={"name": name, "namespace": served.namespace},
            data=dict(served.engine_files),
            immutable=True,
            opts=child(reader, depends_on, delete=deletion.ALONE),
        )
    ]
