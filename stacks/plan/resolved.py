"""A stack with every decision made: plain data that the program registers and `explain` prints.

Only stacks/plan/resolve.py makes one of these from settings. A value that a person might question comes with
the reason for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from components.exposure_kinds import ExposureKind
from components.platform_release import DynamoPlatformArgs
from components.storage_kinds import EbsDisk, Efs, Lustre, StorageClass
from hardware import InstanceType, KvPath
from recipes.model_download import HuggingFaceDownload, S3Copy
from recipes.placed import CacheNodes, CopyNodes, GraphApi, PlacedRecipe
from stacks.plan.infrastructure.plan import EksPlan
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
class ResolvedCluster:
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


ResolvedPlatform = OwnPlatform | ExistingPlatform


@dataclass(frozen=True, slots=True)
class ExistingVolume:
    """A claim with the model that others made; a Job checks what it holds."""

    claim_name: str
    job_name: str
    timeout_seconds: int


@dataclass(frozen=True, slots=True)
class OwnVolume:
    """A claim of the stack's own, and the Job that fills it."""

    claim_name: str
    job_name: str
    timeout_seconds: int
    source: HuggingFaceDownload | S3Copy
    storage: StorageClass | EbsDisk | Lustre | Efs
    nodes: CacheNodes | None
    """Those that alone can mount it; None: all."""
    size_gib: int
    needed_gib: int
    """What the pinned revision takes on the volume, with room for a download in flight."""

    @property
    def class_name(self) -> str:
        """Of the claim; empty where the volume is a file system, and no class makes it."""
        return "" if isinstance(self.storage, Lustre | Efs) else self.storage.class_name


@dataclass(frozen=True, slots=True)
class NodeCopies:
    """A copy on each node with workers, and the DaemonSet that brings it."""

    timeout_seconds: int
    source: HuggingFaceDownload | S3Copy
    nodes: CopyNodes
    size_gib: int
    needed_gib: int
    """As of a volume: what it takes on each node."""


ResolvedCache = ExistingVolume | OwnVolume | NodeCopies


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
class ResolvedServing:
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
class ResolvedStack:
    """Everything the program needs; no setting is read after this."""

    name: str
    source: str
    """The file that the settings came from, for messages."""
    layers: Layering
    """What of it this stack registers. A layer of another stack is here as one that exists: `infrastructure`
    is None, and the platform of kind existing."""
    lifecycle: Lifecycle
    cluster: ResolvedCluster
    pools: tuple[ResolvedPool, ...]
    platform: ResolvedPlatform
    cache: ResolvedCache
    serving: ResolvedServing
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
        return not (isinstance(self.cache, ExistingVolume) or self.serving.namespace_exists)
