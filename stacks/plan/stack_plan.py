"""A stack with every decision made: plain data that the program registers and `explain` prints.

Only stacks/plan/resolve.py makes one of these from settings. A value that a person might question comes with
the reason for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from components.exposure_kinds import ExposureKind
from components.platform_release import DynamoPlatformArgs
from hardware import InstanceType, KvPath
from recipes.placed import GraphApi, PlacedRecipe
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.layers.layering import Layering
from stacks.plan.timeouts import Load

Lifecycle = Literal["production", "disposable"]
Topic = Literal[
    "placement",
    "kv transport",
    "rollout",
    "platform",
    "servers",
    "cache",
    "timeouts",
    "lifecycle",
    "evidence",
]


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that resolve worked out, what it chose and why."""

    topic: Topic
    subject: str
    choice: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetainedObject:
    """An object that `pulumi destroy` leaves, in the cluster or in the account."""

    kind: str
    name: str
    namespace: str | None
    """None for an object of the whole cluster, or of the account."""
    reason: str


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The cluster that the stack is deployed to."""

    kind: Literal["existing", "eks"]
    context: str
    """The kubeconfig context, always named: the current context of whoever runs `up` decides nothing. Of an
    EKS cluster its name, which is also that of the context in the kubeconfig that the program makes."""
    kubeconfig: str | None
    """Path of the kubeconfig; None: the KUBECONFIG environment variable."""
    server: str | None
    """Address that the context must lead to; None: not checked."""
    region: str | None = None
    """Of an EKS cluster that a stack of this project makes."""


@dataclass(frozen=True, slots=True)
class ResolvedPool:
    """A node pool and how much of it this stack takes."""

    name: str
    instance_type: InstanceType
    nodes: int
    labels: Mapping[str, str]
    """Those that tell it from another pool of its type."""
    nvlink_domain_gpus: int
    """GPUs of one NVLink domain, as typed or the smallest that the type is sold in."""
    used_gpus: int
    used_nodes: int
    """Nodes with at least one worker, as packed."""
    exclusive_nodes: int
    """Nodes whose free GPUs no other compute-domain or whole-node worker can use."""

    @property
    def gpus(self) -> int:
        """GPUs of all nodes of the pool."""
        return self.nodes * self.instance_type.gpus

    @property
    def free_gpus(self) -> int:
        """GPUs that this stack leaves free."""
        return self.gpus - self.used_gpus


@dataclass(frozen=True, slots=True)
class ExistingPlatform:
    """A Dynamo platform of which this stack registers nothing."""

    version: str
    namespace: str
    namespace_exists: bool
    """The owner's file says that others made its namespace; False where the platform is nobody's layer."""
    graph_api: GraphApi
    kind: Literal["existing"] = "existing"


@dataclass(frozen=True, slots=True)
class OwnPlatform:
    """The Dynamo platform: one Helm release with the operator, and the servers that it needs."""

    release: DynamoPlatformArgs
    namespace_exists: bool
    """Others made its namespace."""
    graph_api: GraphApi
    custom_resource_definitions: tuple[str, ...]
    """What its installation leaves for ever."""
    kind: Literal["own"] = "own"

    @property
    def version(self) -> str:
        """Of the chart."""
        return self.release.version

    @property
    def namespace(self) -> str:
        """Of operator, NATS and etcd."""
        return self.release.namespace


PlatformPlan = OwnPlatform | ExistingPlatform


@dataclass(frozen=True, slots=True)
class ResolvedCache:
    """The volume with the model's files, and the Job that fills or checks it."""

    claim_name: str
    source: Literal["huggingface", "s3", "existingVolume"]
    s3_address: str | None
    s3_region: str | None
    service_account_name: str | None
    """Of the copying Job; None: the namespace's default without a role."""
    storage_class_name: str | None
    """None where the claim exists already; empty where the volume does, and no class makes it."""
    volume_name: str | None
    """Of the PersistentVolume for a file system that the stack makes; None where a class makes the volume."""
    node_directory: str | None
    """Of every node with workers, where its copy lies; None where the cache is a claim."""
    size_gib: int | None
    needed_gib: int
    """What the pinned revision takes on the volume, with room for a download in flight."""
    job_name: str
    download_timeout_seconds: int

    @property
    def is_ours(self) -> bool:
        """Whether this stack brings the model."""
        return self.source != "existingVolume"

    @property
    def has_own_claim(self) -> bool:
        """Whether this stack creates a claim for it."""
        return self.is_ours and self.node_directory is None


@dataclass(frozen=True, slots=True)
class KvTransport:
    """How KV-cache blocks travel from prefill to decode workers."""

    path: KvPath
    """What is known of it on this hardware and runtime."""
    typed: bool
    """False: chosen because it is documented to work."""
    reason: str
    request_bytes: int
    """KV cache of one prompt of the recipe's length."""
    ceiling: str
    """What the path can carry, as a sentence."""
    placement: str
    """What it demands of placement, as a sentence; empty where nothing."""


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """The graph that serves the model."""

    recipe_name: str
    namespace_exists: bool
    """Others made its namespace."""
    placed: PlacedRecipe
    kv_transport: KvTransport | None
    """None for an aggregated recipe."""
    exposure: ExposureKind | None
    pod_monitor_labels: Mapping[str, str] | None
    """None: no PodMonitor."""
    load: Load
    """What a new worker does before it serves, and for how long."""
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
class Waiver:
    """A rule that this stack breaks on purpose, for a time."""

    rule: str
    reason: str
    expires: str
    """ISO date of the last day on which it holds."""


@dataclass(frozen=True, slots=True)
class StackPlan:
    """Everything the program needs; no setting is read after this."""

    name: str
    source: str
    """The file that the settings came from, for messages."""
    layers: Layering
    """What of it this stack registers. A layer of another stack is here as one that exists: `infrastructure`
    is None, and the platform of kind existing."""
    lifecycle: Lifecycle
    cluster: ClusterPlan
    pools: tuple[ResolvedPool, ...]
    platform: PlatformPlan
    cache: ResolvedCache
    serving: ServingPlan
    network_policies: bool
    waivers: tuple[Waiver, ...]
    infrastructure: EksPlan | None
    """None for a cluster that exists, or that another stack makes."""
    decisions: tuple[Decision, ...]
    retained: tuple[RetainedObject, ...]
    """What `pulumi destroy` leaves, complete."""

    @property
    def graph_api_version(self) -> str:
        """API version of the graph, with its group."""
        return f"nvidia.com/{self.platform.graph_api}"

    @property
    def creates_namespace(self) -> bool:
        """Whether this stack creates the serving namespace.

        The namespace of an existing volume is there already, and removing it would remove the volume.
        """
        return self.cache.is_ours and not self.serving.namespace_exists
