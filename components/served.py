"""What serves, as rules and the state read it: its place, its files, how long it may take."""

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict


class Node(TypedDict):
    """A node that no EC2 instance type names, as rules read it."""

    accelerator: str
    gpus: int
    cpu: int
    memoryGib: int
    nvlinkDomainGpus: int


class Placement(TypedDict):
    """The node pool that a worker was given, as rules read it; its nodes by name or description."""

    pool: str
    instanceType: NotRequired[str]
    node: NotRequired[Node]
    nodes: int


class Taint(TypedDict):
    """A taint of a pool's nodes, as rules read it."""

    key: str
    value: str
    effect: str


class NodePool(TypedDict):
    """A node pool that the stack knows, as rules read it; its nodes by name or description."""

    name: str
    instanceType: NotRequired[str]
    node: NotRequired[Node]
    nodes: int
    labels: dict[str, str]
    """Of a described node all that are known."""
    nvlinkDomainGpus: int
    """GPUs of one NVLink domain."""
    taints: NotRequired[list[Taint]]
    """Left out where nobody says which they are."""


class KvTransport(TypedDict):
    """How KV-cache blocks travel, as rules read it."""

    name: str
    typed: bool
    """Chosen by a person, not because it is documented to work."""
    standing: str
    reason: str
    """What is known of it."""
    ceiling: str


class Waiver(TypedDict):
    """A rule that the stack breaks on purpose, as rules read it."""

    rule: str
    reason: str
    expires: str


class TypedSetting(TypedDict):
    """A setting of the stack's file that a person typed, as rules read it."""

    key: str
    """Its path: serving.overrides.decode.max_batch_size. Not its line, which any comment moves."""
    part: str
    """What it changes, by the name that rules give it."""
    decides: str
    """The engine option, as in an engine file, the variable, or `image`."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a graph and a server of the engine's own have in common."""

    name: str
    namespace: str
    engine_config_map_name: str | None
    """Ends in a hash of the content; None where the engine reads no file."""
    engine_files: dict[str, str]
    placement: dict[str, Placement]
    """Service name in the graph, or the server's container -> its pool; for what has GPUs."""
    node_pools: list[NodePool]
    lifecycle: str
    """production or disposable."""
    waivers: list[Waiver]
    ready_timeout_seconds: int
    typed_settings: list[TypedSetting]

    def inputs(self) -> dict[str, Any]:
        """Return the inputs of the component, which rules read."""
        typed = {"typedSettings": self.typed_settings} if self.typed_settings else {}
        return {
            "name": self.name,
            "namespace": self.namespace,
            "placement": self.placement,
            "nodePools": self.node_pools,
            "lifecycle": self.lifecycle,
            "waivers": self.waivers,
            **typed,
        }
