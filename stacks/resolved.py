"""A stack with every decision made: plain data that the program registers and `explain` prints.

Only stacks/resolve.py makes one of these from settings. A value that a person might question comes with
the reason for it.
"""

from dataclasses import dataclass
from typing import Literal

from hardware import InstanceType
from recipes.placed import PlacedRecipe

Lifecycle = Literal["production", "disposable"]
KvTransportName = Literal["tcp"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that resolve worked out, what it chose and why."""

    subject: str
    choice: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetainedObject:
    """An object that `pulumi destroy` leaves in the cluster."""

    kind: str
    name: str
    namespace: str | None
    """None for an object of the whole cluster."""
    reason: str


@dataclass(frozen=True, slots=True)
class ResolvedCluster:
    """The cluster that the stack is deployed to; its credentials come from KUBECONFIG alone."""

    kind: Literal["existing"]
    context: str
    """The kubeconfig context, always named: the current context of whoever runs `up` decides nothing."""


@dataclass(frozen=True, slots=True)
class ResolvedPool:
    """A node pool and how many of its GPUs this stack takes."""

    name: str
    instance_type: InstanceType
    nodes: int
    used_gpus: int

    @property
    def gpus(self) -> int:
        """GPUs of all nodes of the pool."""
        return self.nodes * self.instance_type.gpus

    @property
    def free_gpus(self) -> int:
        """GPUs that this stack leaves free."""
        return self.gpus - self.used_gpus


@dataclass(frozen=True, slots=True)
class ResolvedPlatform:
    """The Dynamo platform: one Helm release with the operator and what it needs."""

    version: str
    chart: str
    repository: str
    release_name: str
    namespace: str
    nats_storage_class_name: str
    graph_api_version: str
    install_timeout_seconds: int
    custom_resource_definitions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResolvedCache:
    """The volume with the model's files, and the Job that fills it."""

    claim_name: str
    storage_class_name: str
    size_gib: int
    needed_gib: int
    """What the pinned revision takes on the volume, with room for a download in flight."""
    job_name: str
    download_timeout_seconds: int


@dataclass(frozen=True, slots=True)
class KvTransport:
    """How KV-cache blocks travel from prefill to decode workers."""

    name: KvTransportName
    reason: str


@dataclass(frozen=True, slots=True)
class ResolvedServing:
    """The graph that serves the model."""

    recipe_name: str
    placed: PlacedRecipe
    kv_transport: KvTransport
    ready_timeout_seconds: int

    @property
    def namespace(self) -> str:
        """The namespace of the graph, its cache and its token."""
        return self.placed.namespace

    @property
    def graph_name(self) -> str:
        """The name of the DynamoGraphDeployment; the frontend's Service is `<graph name>-frontend`."""
        return self.placed.graph_name


@dataclass(frozen=True, slots=True)
class ResolvedStack:
    """Everything the program needs; no setting is read after this."""

    name: str
    source: str
    """The file that the settings came from, for messages."""
    lifecycle: Lifecycle
    cluster: ResolvedCluster
    pools: tuple[ResolvedPool, ...]
    platform: ResolvedPlatform
    cache: ResolvedCache
    serving: ResolvedServing
    decisions: tuple[Decision, ...]
    retained: tuple[RetainedObject, ...]
    """What `pulumi destroy` leaves, complete."""
