"""The typed configuration of a stack: what a person writes below `dynamo-stack:settings`.

Strict on purpose. YAML turns 1.30 into the number 1.3 and 2026-12-01 into a timestamp before anybody can
look at it, so a model that converted quietly would deploy something other than what was typed.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from hardware import CpuArchitecture, KvTransportName
from recipes.placed import RdmaFabric, TaintEffect
from recipes.strict_model import StrictModel
from stacks.settings.cluster import CacheStorageSettings, ClusterSettings, Purchase
from stacks.settings.platform import Namespace, PlatformSettings
from stacks.settings.services import (
    ArgumentsPerRole,
    EngineOverrides,
    ExposureSettings,
    ImageVersionsPerRole,
    PodMonitorSettings,
    ReplicaSettings,
    RouterMode,
    VariablesPerRole,
    WorkerResources,
)
from stacks.settings.setting_types import (
    AmiRelease,
    CommitHash,
    Count,
    GraphName,
    IsoDate,
    LabelKey,
    LabelValue,
    Mirror,
    Name,
    RegistryHost,
    S3Address,
    Seconds,
    StackName,
    StorageClassName,
    Text,
    VolumeSize,
    ZoneName,
)

Layer = Literal["infrastructure", "platform", "serving"]


class RdmaSettings(StrictModel):
    """The RDMA devices that the cluster's device plugin offers on the pool's nodes."""

    resource: Text
    """Name of the extended resource, such as rdma/ib."""
    fabric: RdmaFabric
    """What the devices speak; RoCE needs a network without loss, which nothing here can check."""


class TaintSettings(StrictModel):
    """A taint as the node has it."""

    key: LabelKey
    """Such as nvidia.com/gpu."""
    value: LabelValue | None = None
    """None: the taint has none."""
    effect: TaintEffect
    """What happens to pods that do not tolerate it."""


class NodeSettings(StrictModel):
    """One node of a pool: what pods can have of it, and how they find it."""

    accelerator: Text
    """Model of its GPUs, such as B200."""
    gpus: Count
    """GPUs that pods can have (allocatable nvidia.com/gpu)."""
    cpu: Count
    """CPUs that pods can have (allocatable cpu)."""
    memory: VolumeSize
    """Memory that pods can have (allocatable memory)."""
    architecture: CpuArchitecture
    """Of its processors, as in the node label kubernetes.io/arch."""
    nvlink_domain_gpus: Count | None = None
    """GPUs of one NVLink domain; None: those of the node. Required for GB200 and GB300: 36 or 72 of a rack,
    the GPUs of the node where nothing joins its trays."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict[str, str])
    """Node labels that find these GPUs, such as cloud.google.com/gke-accelerator, instead of
    nvidia.com/gpu.product; left out: that one, with the value that the accelerator has."""
    taints: tuple[TaintSettings, ...] | None = None
    """Taints of the nodes, which workers tolerate, nvidia.com/gpu in any case; None: nobody says which."""


class NodePoolSettings(StrictModel):
    """Equal GPU nodes: of an existing cluster those that are there, of an EKS cluster those that are made."""

    name: Name
    """What `serving.pool` and `serving.pools` call it."""
    instance_type: Text | None = None
    """EC2 instance type; or `node`."""
    node: NodeSettings | None = None
    """What a node is, where no EC2 instance type says it; with cluster kind existing, and only there."""
    nodes: Count
    """How many there are; workers are counted against it before anything is created."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict[str, str])
    """Node labels that tell this pool from another of the same type; workers select by them as well."""
    nvlink_domain_gpus: Literal[36, 72] | None = None
    """GPUs of one NVLink domain of an instance type (an NVL36 or NVL72 rack); None: the smallest that is
    sold."""
    rdma: RdmaSettings | None = None
    """None: no InfiniBand or RoCE devices."""
    zone: ZoneName | None = None
    """Zone of the pool's nodes; required with cluster kind eks, and only there."""
    purchase: Purchase | None = None
    """How its nodes are paid for; required with cluster kind eks, and only there."""
    ami_release: AmiRelease | None = None
    """It brings the GPU driver; another one exchanges the nodes. None: EKS' newest when it makes or upgrades
    the group. With cluster kind eks only."""
    root_volume_type: Literal["gp3", "gp2"] | None = None
    """Type of the nodes' root disk, for a Local Zone that has no gp3; another one exchanges the nodes. None:
    gp3. With cluster kind eks only."""


class HuggingFaceSource(StrictModel):
    """Download from the Hugging Face hub."""

    kind: Literal["huggingface"]


class S3Source(StrictModel):
    """Copy from a bucket that holds the files of the pinned revision and o200k_base.tiktoken."""

    kind: Literal["s3"]
    address: S3Address
    """s3://bucket/prefix"""
    region: Text | None = None
    """Region of the bucket; None: as the cluster's environment says."""
    service_account_name: Name = "default"
    """Service account of the copying Job, whose role may read the bucket; credentials are never settings."""


class ExistingVolumeSource(StrictModel):
    """A claim that exists already and holds the cache in the Hugging Face layout."""

    kind: Literal["existingVolume"]
    claim_name: Name
    """PersistentVolumeClaim in the serving namespace, which this stack neither creates nor removes."""


ModelSource = Annotated[HuggingFaceSource | S3Source | ExistingVolumeSource, Field(discriminator="kind")]


class ModelSettings(StrictModel):
    """Source of the model's files."""

    source: ModelSource = HuggingFaceSource(kind="huggingface")
    """Who has the files."""
    revision: CommitHash | None = None
    """Of the model repository; None: the one that the recipe pins."""


class ModelCacheSettings(StrictModel):
    """The volume for the model's files."""

    size: VolumeSize
    """At least the model's size and a tenth more; refused where it is too small."""
    storage_class_name: StorageClassName | None = None
    """A class of the cluster whose volumes several nodes can mount at once (ReadWriteMany)."""
    storage: CacheStorageSettings | None = None
    """Storage made for the cache, or the nodes' own disks; with cluster kind eks, instead of a class."""
    read_megabytes_per_second: Count | None = None
    """What one node reads from the volume; None: the slowest that the publisher's times allow."""
    download_timeout_seconds: Seconds | None = None
    """Longest time for the download; None: worked out from the model's size."""


class PoolsPerRole(StrictModel):
    """A node pool for each kind of worker of a disaggregated recipe."""

    prefill: Name
    """Pool of the prefill workers."""
    decode: Name
    """Pool of the decode workers."""


# The tags are what place_of() knows the types by.
Replicas = Annotated[
    Annotated[ReplicaSettings, Tag("ReplicaSettings")] | Annotated[Literal["fill"], Tag("fill")],
    Discriminator(lambda value: "ReplicaSettings" if isinstance(value, dict | ReplicaSettings) else "fill"),
]


class ServingSettings(StrictModel):
    """What is served, and where."""

    recipe: Text
    """Name of a recipe, as `dynamo-stack list` prints it."""
    recipe_folder: Text | None = None
    """Folder with recipes of your own, as a path from this file's folder; None: the catalogue alone."""
    namespace: Namespace
    """Namespace of the graph, the model cache and the token, apart from the platform's; a name alone is
    created. Which of both it is, is fixed when the stack is created."""
    name: GraphName | None = None
    """Name of the graph; None: the recipe's own."""
    pool: Name | None = None
    """One pool for all workers; or `pools`."""
    pools: PoolsPerRole | None = None
    gpus_per_worker: Count | None = None
    """GPUs of one worker, of a recipe that is made for several numbers; None: the most that a node has."""
    replicas: Replicas = ReplicaSettings()
    """Per role, or `fill`: as many sets of workers, in the recipe's proportion, as the pools hold."""
    overrides: EngineOverrides = EngineOverrides()
    resources: WorkerResources = WorkerResources()
    environment: VariablesPerRole = VariablesPerRole()
    arguments: ArgumentsPerRole = ArgumentsPerRole()
    router_mode: RouterMode | None = None
    """How the frontend chooses a worker; kv wants workers that publish events. None: the recipe's."""
    image_versions: ImageVersionsPerRole = ImageVersionsPerRole()
    kv_transport: KvTransportName | None = None
    """How KV blocks travel from prefill to decode; one that is not documented to work must be typed."""
    exposure: ExposureSettings | None = None
    """None: reachable inside the cluster only. Never public."""
    pod_monitor: PodMonitorSettings | None = None
    wait_for_room: bool = False
    """Let `up` begin without the free GPUs that the workers need, and wait for them: for pools whose nodes an
    autoscaler adds."""
    ready_timeout_seconds: Seconds | None = None
    """Longest wait until the service is ready; None: worked out from the model's size."""


class WaiverSettings(StrictModel):
    """A rule that this stack breaks on purpose, for a time."""

    rule: Name
    """Id of the rule, as `dynamo-stack check` prints it."""
    reason: Text
    """Why; printed with the rule wherever the rule is."""
    expires: IsoDate
    """Last day on which the waiver holds."""


class LayerStacks(StrictModel):
    """The stacks of this project that own the layers below this stack's."""

    infrastructure: StackName | None = None
    """Owner of network, cluster, nodes, file system and their operators."""
    platform: StackName | None = None
    """Owner of the Dynamo platform with NATS and etcd."""


class StackSettings(StrictModel):
    """One stack.

    Raises:
        pydantic.ValidationError: unknown keys, wrong types or malformed values.

    """

    cluster: ClusterSettings
    """One that exists, or an EKS cluster that this stack makes. Fixed when the stack is created."""
    platform: PlatformSettings | None = None
    """The Dynamo platform, own or one that runs already; left out only for a recipe without Dynamo."""
    node_pools: Annotated[tuple[NodePoolSettings, ...], Field(min_length=1)]
    """The GPU nodes of the cluster that this stack may use."""
    model: ModelSettings = ModelSettings()
    model_cache: ModelCacheSettings | None = None
    """Required unless the model is on an existing volume."""
    serving: ServingSettings
    image_mirrors: Mapping[RegistryHost, Mirror] = Field(default_factory=dict[str, str])
    """What stands in the registry's place for every image."""
    network_policies: bool = True
    """Admit only the connections that the runtime's own parts make."""
    lifecycle: Literal["production", "disposable"] = "production"
    """production protects what holds data, and keeps it in a cluster that exists already; disposable lets
    `destroy` remove everything."""
    layers: Annotated[tuple[Layer, ...], Field(min_length=1)] | None = None
    """What this stack makes and shares; None: all, shared with nobody. Fixed when the stack is created."""
    layer_stacks: LayerStacks = LayerStacks()
    waivers: tuple[WaiverSettings, ...] = ()
    """Rules that this stack breaks on purpose, each for a time."""
