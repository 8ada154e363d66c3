"""Why a stack is as it is, and what clients lose with one pod of it."""

from collections.abc import Iterator

from recipes.model_download import S3Copy
from recipes.placed import PlacedRecipe, PlacedService
from rules.reading.shapes import grouped
from stacks.plan.cache_plan import CachePlan, ExistingVolume
from stacks.plan.placement.pools import in_labels
from stacks.plan.platform.platform_plan import OwnPlatform, PlatformPlan
from stacks.plan.stack_plan import ServingPlan, StackPlan
from stacks.settings.platform import Etcd, Nats
from stacks.wording import alternatives, in_words

_SEVERAL = 3
_LIFECYCLES = {
    "disposable": "`destroy` removes everything that this stack has created but custom resource definitions",
    "production": "its model cache and the data of its servers are protected, and kept when they leave it",
}
# Requests travel from frontend to worker by TCP since Dynamo 1.0; seen in docs/faults-under-load.md.
_WITHOUT_NATS = "pods serve on without it, and none starts"


def placements(stack: StackPlan) -> Iterator[str]:
    """Yield the node labels by which services find their nodes; those of the same nodes together."""
    found_by = (*_in_pools(stack), *_filled(stack))
    for labels, found in grouped((labels, (name, reason)) for name, labels, reason in found_by).items():
        # Workers of one pool differ by their GPUs alone, and those stand in the table.
        reason = f" ({found[0][1]})" if len(found) == 1 else ""
        yield f"{', '.join(name for name, _ in found)}: {labels}{reason}"


def servers(platform: PlatformPlan | None) -> Iterator[str]:
    """Yield what runs of NATS and etcd, and what it means to lose one."""
    if not isinstance(platform, OwnPlatform):
        return
    leases_end = "stops all workers, because their leases end"
    yield _server(
        "NATS",
        platform.typed.nats,
        platform.nats_address,
        others="its address",
        bundled=f"one server of the platform's chart; {_WITHOUT_NATS}",
        one=f"one server with a volume; {_WITHOUT_NATS}",
        several="pods serve on without it, none starts; streams of a member that is away wait for it",
    )
    if platform.typed.etcd is not None:
        yield _server(
            "etcd",
            platform.typed.etcd,
            platform.etcd_address,
            others="its addresses",
            bundled="one member of the platform's chart, from Bitnami's archived images (bitnamilegacy), "
            f"which get no fixes; away for more than 10 s it {leases_end}",
            one=f"one member; away for more than 10 s it {leases_end}",
            several="two of three members go on when one is lost; more than 10 s without two of them "
            f"{leases_end} (10 s, fixed in Dynamo 1.2)",
        )


def model_and_waits(stack: StackPlan) -> Iterator[str]:
    """Yield where the model lies and comes from, how long `up` waits, and what a lifecycle means here."""
    yield _model(stack.cache, stack.serving.placed)
    step = "check" if isinstance(stack.cache, ExistingVolume) else "download"
    seconds = f"{stack.cache.timeout_seconds} s for the {step}"
    yield f"waits: {seconds}, {stack.serving.ready_timeout_seconds} s for the graph"
    if stack.settings.cluster.kind != "eks":
        # Where the cluster goes with the stack, Retained has the objects that are kept.
        yield f"lifecycle: {stack.settings.lifecycle} ({_LIFECYCLES[stack.settings.lifecycle]})"


FRONTEND_BACK_SECONDS = 30
"""A frontend's process is started again at once. The operator's readiness probe asks it after 10 s, then each
10 s; the rest is for the start of Python and of the runtime (docs/faults-under-load.md)."""


def losses(serving: ServingPlan) -> Iterator[str]:
    """Say what is lost when a pod's process dies, for every service, and when a pod is told to end."""
    alike: dict[str, list[str]] = {}
    for service in serving.placed.services:
        number = "the only" if service.replicas == 1 else f"one of {service.replicas}"
        alike.setdefault(f"{number} {{}}: {_effect(service, serving)}", []).append(service.name)
    killed = "; of ".join(sentence.format(alternatives(names)) for sentence, names in alike.items())
    ends = "a pod finishes them"
    if serving.placed.recipe.engine_server is not None:
        ends = "what it does with answers under way is not known"
    yield f"when a process dies, of {killed}; told to end, {ends}"


def _effect(service: PlacedService, serving: ServingPlan) -> str:
    if service.placement is None:
        return "its answers" + (f" and {FRONTEND_BACK_SECONDS} s of service" if service.replicas == 1 else "")
    if service.replicas == 1:
        return f"its answers and {serving.load.minutes} min of service"
    # A prompt that is being computed is not begun again elsewhere (docs/faults-under-load.md).
    return "its prompts" if service.role == "prefill" else "nothing, its answers go on at another"


def _in_pools(stack: StackPlan) -> Iterator[tuple[str, str, str]]:
    """Yield each worker with the labels of its pool, and the reason."""
    alone = {placed.pool.name for placed in stack.pools if placed.room.one_pod_per_node}
    for worker in stack.serving.placed.workers:
        if placement := worker.placement:
            only = ", and no second worker of this KV transport" if placement.pool in alone else ""
            reason = (
                f"pool {placement.pool} has {placement.instance_type.name} nodes; one of them holds a "
                f"worker's {in_words(worker.gpus, 'GPU')}{only}"
            )
            yield worker.name, in_labels(placement.node_selector), reason


def _filled(stack: StackPlan) -> Iterator[tuple[str, str, str]]:
    """Yield what the replicas came to where the pools are filled."""
    if stack.settings.serving.replicas != "fill":
        return
    serving = stack.serving
    placed = [(worker, worker.placement) for worker in serving.placed.workers if worker.placement]
    pools = " and ".join(dict.fromkeys(placement.pool for _, placement in placed))
    domain = " in one NVLink domain" if serving.placed.same_clique else ""
    reason = (
        f"fill: the most sets of the recipe's workers that pool {pools} holds{domain}; frontends stay as the "
        "recipe has them"
    )
    yield "replicas", ", ".join(f"{worker.replicas} x {worker.name}" for worker, _ in placed), reason


def _model(cache: CachePlan, placed: PlacedRecipe) -> str:
    repository = placed.recipe.model.repository
    if isinstance(cache, ExistingVolume):
        checked = f"a Job checks {repository} in it before any worker starts"
        return f"model cache: existing claim {placed.cache_claim_name} ({checked})"
    source = cache.source
    origin = f"copied from {source.address}" if isinstance(source, S3Copy) else "from Hugging Face"
    return f"model cache: {cache.size_gib}Gi ({repository}, {origin}, needs {cache.needed_gib}Gi)"


def _server(
    title: str, typed: Nats | Etcd, address: str, *, others: str, bundled: str, one: str, several: str
) -> str:
    """Return what runs, with the reason that its kind and number of members have."""
    match typed.kind:
        case "external":
            return f"{title}: external, {address} (others run it; this stack only passes {others} on)"
        case "bundled":
            return f"{title}: bundled, 1 member ({bundled})"
        case "own":
            reason = one if typed.members < _SEVERAL else several
            return f"{title}: own, {in_words(typed.members, 'member')} ({reason})"
