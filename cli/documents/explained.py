"""`dynamo-stack explain --json`: what a stack becomes, for a program."""

from collections.abc import Iterator, Mapping

from cli.price_age import today
from comparison.recording import RecordedWaiver
from explain.explanation.order import protected, steps
from explain.explanation.serving import workers_by_rollout
from explain.explanation.tables import prices, purchases, workarounds
from operations.document import Document
from recipes.placed import PlacedService
from resource_graph import ResourceGraph
from stacks.plan.decisions import losses
from stacks.plan.infrastructure.prices import NAMES, idle_gpus, usd_per_gpu_hour
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.stack_plan import Decision, RetainedObject, StackPlan, waited_for
from stacks.served_runs import evidence_on
from stacks.settings.cluster import Purchase
from stacks.updates.notices import effects_of_changes
from stacks.updates.planned_update import waiting_text


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


def explain_document(stack: StackPlan, graph: ResourceGraph) -> ExplainDocument:
    """Return what the stack becomes; `graph` is what its program registers."""
    layers = stack.layers
    plan = stack.infrastructure
    serves = layers.owns("serving")
    has_nodes = layers.own != ("platform",)
    return ExplainDocument(
        stack=stack.name,
        file=stack.source,
        recipe=stack.serving.placed.recipe.name,
        lifecycle=stack.lifecycle,
        layers=layers.own,
        joined={layer: joined.stack for layer, joined in layers.joined.items()},
        cluster=ExplainedCluster(
            kind=stack.cluster.kind, context=stack.cluster.context, region=stack.cluster.region
        ),
        platform=_platform(stack),
        pools=tuple(_pools(stack)) if has_nodes else (),
        services=tuple(map(_service, stack.serving.placed.services)) if serves else (),
        kv_path=_kv_path(stack) if serves else None,
        decisions=stack.decisions,
        rollouts=tuple(_rollouts(stack)) if serves else (),
        updates=tuple(effects_of_changes(stack)) if serves else (),
        losses=tuple(losses(stack.serving)) if serves else (),
        workarounds=tuple(workarounds(stack)) if serves else (),
        prices=tuple(prices(stack.pools, today())) if has_nodes else (),
        idle=() if plan is None else tuple(idle_gpus(plan, stack.pools)),
        waiting=tuple(map(waiting_text, waited_for(stack))),
        order=tuple(ExplainedStep(kind=kind, name=name) for kind, name in steps(graph)),
        protected=tuple(protected(graph)),
        retained=stack.retained,
        waivers=tuple(
            RecordedWaiver(rule=each.rule, reason=each.reason, expires=each.expires) for each in stack.waivers
        ),
        evidence=tuple(_evidence(stack)) if serves else (),
    )


def _platform(stack: StackPlan) -> ExplainedPlatform | None:
    found = stack.platform
    if found is None:
        return None
    return ExplainedPlatform(
        kind=found.kind, version=found.version, namespace=found.namespace, graph_api=found.graph_api
    )


def _pools(stack: StackPlan) -> Iterator[ExplainedPool]:
    bought = purchases(stack)
    for placed in stack.pools:
        yield _pool(placed, bought.get(placed.pool.name))


def _pool(placed: PlacedPool, purchase: Purchase | None) -> ExplainedPool:
    pool = placed.pool
    machine = placed.pool.instance_type
    return ExplainedPool(
        name=pool.name,
        machine=machine.name,
        accelerator=machine.accelerator.name,
        nodes=pool.nodes,
        gpus=pool.gpus,
        used_gpus=placed.used_gpus,
        idle_gpus=placed.free_gpus,
        usd_per_gpu_hour=None if purchase is None else usd_per_gpu_hour(machine, purchase),
        bought=None if purchase is None else NAMES[purchase.kind],
    )


def _service(service: PlacedService) -> ExplainedService:
    sizes = service.resources
    placement = service.placement
    return ExplainedService(
        name=service.name,
        role=service.role,
        replicas=service.replicas,
        gpus=service.gpus,
        cpu_request=None if sizes is None else sizes.cpu_request,
        cpu_limit=None if sizes is None else sizes.cpu_limit,
        memory_gib=None if sizes is None else sizes.memory_gib,
        pool=None if placement is None else placement.pool,
        devices={} if placement is None else placement.extended_resources,
    )


def _kv_path(stack: StackPlan) -> ExplainedKvPath | None:
    transport = stack.serving.placed.kv_transport
    if transport is None:
        return None
    path = transport.path
    return ExplainedKvPath(
        transport=path.transport,
        explicit=transport.explicit,
        standing=path.standing.value,
        reason=path.reason,
        source=path.source.text,
        ceiling=transport.ceiling,
        placement=transport.placement,
        lifted_by=path.lifted_by,
    )


def _rollouts(stack: StackPlan) -> Iterator[ExplainedRollout]:
    for rollout, workers in workers_by_rollout(stack).items():
        yield ExplainedRollout(
            workers=tuple(workers),
            strategy=rollout.strategy,
            reason=rollout.reason,
            interruption=rollout.interruption,
        )


def _evidence(stack: StackPlan) -> Iterator[ExplainedEvidence]:
    recipe = stack.serving.placed.recipe
    for accelerator in stack.used_accelerators:
        found = evidence_on(recipe, accelerator)
        yield ExplainedEvidence(
            accelerator=accelerator,
            level=found.level.value,
            validated_upstream=accelerator in recipe.validated_on,
            reason=found.reason,
        )
