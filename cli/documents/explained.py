"""`dynamo-stack explain --json`."""

from collections.abc import Mapping

from comparison.recording import RecordedWaiver
from operations.document import Document
from stacks.plan.stack_plan import Decision, RetainedObject


class ExplainedCluster(Document):
    """The cluster that the stack is deployed to."""

    kind: str
    """`existing`, or `eks` where a stack of this project makes it."""
    context: str
    """Context of the kubeconfig; of a cluster that a stack makes, its name."""
    region: str | None
    """AWS region; null for a cluster that exists."""


class ExplainedPlatform(Document):
    """The Dynamo platform below the graph."""

    kind: str
    """`own` or `existing`."""
    version: str
    namespace: str
    graph_api: str
    """API version in which the graph is written."""


class ExplainedPool(Document):
    """One pool of GPU nodes."""

    name: str
    machine: str
    """EC2 instance type, or the name of a described node."""
    accelerator: str
    nodes: int
    gpus: int
    """GPUs of all nodes together."""
    used_gpus: int
    """GPUs that the stack's workers ask for."""
    idle_gpus: int
    usd_per_gpu_hour: float | None
    """Published US dollars for one GPU an hour; null where no price is published, or nobody said one."""
    bought: str | None
    """On demand, Spot, reservation or Capacity Block; null where the settings do not say."""


class ExplainedService(Document):
    """One service of the graph."""

    name: str
    role: str
    replicas: int
    gpus: int
    """GPUs of one replica."""
    cpu_request: int | None
    """CPUs of one pod; null where the recipe asks for none."""
    cpu_limit: int | None
    memory_gib: int | None
    """Memory of one pod in GiB, request and limit."""
    pool: str | None
    """Pool of its pods; null for a service without GPUs."""
    devices: Mapping[str, str]
    """Extended resource -> how many of it one pod asks for."""


class ExplainedKvPath(Document):
    """The way of the KV cache from prefill to decode workers."""

    transport: str
    explicit: bool
    """Whether the stack file names it."""
    standing: str
    """`documented` or `unproven`."""
    reason: str
    source: str
    ceiling: str
    """What it can carry."""
    placement: str
    """What it demands of placement; empty where nothing."""
    lifted_by: str
    """What would make it faster, or prove it."""


class ExplainedRollout(Document):
    """How a new version of workers replaces the running one."""

    workers: tuple[str, ...]
    strategy: str
    reason: str
    interruption: str


class ExplainedStep(Document):
    """One resource, or all of the account."""

    kind: str
    name: str


class ExplainedEvidence(Document):
    """How far the recipe has been tried on one kind of GPU."""

    accelerator: str
    level: str
    validated_upstream: bool
    """Whether the recipe's publisher has run it on this GPU."""
    reason: str


class ExplainDocument(Document):
    """What a stack becomes, and why. Sentences are those of the text; no program should take them apart."""

    stack: str
    file: str
    recipe: str
    lifecycle: str
    layers: tuple[str, ...]
    """Layers that this stack registers."""
    joined: Mapping[str, str]
    """Layer -> stack that owns it."""
    cluster: ExplainedCluster
    platform: ExplainedPlatform | None
    """Null where the recipe is served without Dynamo."""
    pools: tuple[ExplainedPool, ...]
    services: tuple[ExplainedService, ...]
    """Services of the graph; empty where another stack serves."""
    kv_path: ExplainedKvPath | None
    """Null where the KV cache never leaves its worker."""
    decisions: tuple[Decision, ...]
    rollouts: tuple[ExplainedRollout, ...]
    updates: tuple[str, ...]
    """What a change of each kind does to what runs."""
    losses: tuple[str, ...]
    """What goes on, and for how long not, when a part is lost."""
    workarounds: tuple[str, ...]
    """What keeps the workers away from known defects of the engine."""
    prices: tuple[str, ...]
    """Prices of each machine, with their source and date."""
    idle: tuple[str, ...]
    """GPUs that are paid for and not used."""
    waiting: tuple[str, ...]
    """Node groups whose window has not opened; the graph comes after them."""
    order: tuple[ExplainedStep, ...]
    """Resources in the order in which they are created."""
    protected: tuple[str, ...]
    """What `destroy` refuses to delete."""
    retained: tuple[RetainedObject, ...]
    waivers: tuple[RecordedWaiver, ...]
    evidence: tuple[ExplainedEvidence, ...]
