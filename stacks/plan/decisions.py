"""Why the stack is as it is, and what clients lose with one pod of it, for `explain`."""

from collections.abc import Iterable

from components.servers import BundledServers, EtcdArgs, EtcdServers, ExternalServers, NatsArgs, NatsServers
from recipes.model_download import HuggingFaceDownload, S3Copy
from recipes.placed import PlacedService, PoolPlacement
from stacks.plan.cache_plan import CachePlan, ExistingVolume, OwnVolume
from stacks.plan.placement.pools import in_labels
from stacks.plan.platform import OwnPlatform, PlatformPlan
from stacks.plan.retention import keeps_platform_namespace
from stacks.plan.stack_plan import Decision, ServingPlan, StackPlan
from stacks.plan.timeouts import SLOWEST_LOAD_MEGABYTES_PER_SECOND
from stacks.settings.stack import StackSettings
from stacks.wording import alternatives, in_words

_SEVERAL = 3
# Requests travel from frontend to worker by TCP since Dynamo 1.0; seen in docs/faults-under-load.md.
_WITHOUT_NATS = "pods serve on without it, and none starts"


def decisions(settings: StackSettings, stack: StackPlan) -> tuple[Decision, ...]:
    """Return one decision for everything that `explain` prints and nothing else of the plan says."""
    serving, cache = stack.serving, stack.cache
    return (
        *_placements(stack),
        *_replicas(settings, serving),
        *_servers(stack.platform),
        *_cache(settings, serving, cache),
        *_timeouts(settings, serving, cache),
        Decision("lifecycle", "lifecycle", stack.lifecycle, _lifecycle_reason(stack)),
    )


def _placed_workers(serving: ServingPlan) -> list[tuple[PlacedService, PoolPlacement]]:
    return [(worker, worker.placement) for worker in serving.placed.workers if worker.placement]


def _placements(stack: StackPlan) -> Iterable[Decision]:
    alone = {placed.pool.name for placed in stack.pools if placed.packing.room.one_pod_per_node}
    yield from _beside_the_cache(stack.serving)
    for worker, placement in _placed_workers(stack.serving):
        only = ", and no second worker of this KV transport" if placement.pool in alone else ""
        reason = (
            f"pool {placement.pool} has {placement.instance_type.name} nodes; one of them holds a worker's "
            f"{in_words(worker.gpus, 'GPU')}{only}"
        )
        yield Decision("placement", worker.name, in_labels(placement.node_selector), reason)


def _beside_the_cache(serving: ServingPlan) -> Iterable[Decision]:
    nodes = serving.placed.cache_nodes
    if nodes is None:
        return
    labels = " or ".join(in_labels(selector) for selector in nodes.selectors)
    what = "have a copy of the model each" if serving.placed.cache_directory else "mount the model's disk"
    for service in serving.placed.services:
        if service.placement is None:
            yield Decision("placement", service.name, labels, f"these alone {what}")


def _replicas(settings: StackSettings, serving: ServingPlan) -> Iterable[Decision]:
    if settings.serving.replicas != "fill":
        return
    placed = _placed_workers(serving)
    choice = ", ".join(f"{worker.replicas} x {worker.name}" for worker, _ in placed)
    pools = " and ".join(dict.fromkeys(placement.pool for _, placement in placed))
    domain = " in one NVLink domain" if serving.placed.same_clique else ""
    reason = (
        f"fill: the most sets of the recipe's workers that pool {pools} holds{domain}; frontends stay as the "
        "recipe has them"
    )
    yield Decision("placement", "replicas", choice, reason)


def _cache(settings: StackSettings, serving: ServingPlan, cache: CachePlan) -> Iterable[Decision]:
    model = serving.placed.recipe.model
    pinned = "the explicit model.revision" if settings.model.revision else "its pinned revision"
    if isinstance(cache, ExistingVolume):
        reason = f"it holds {model.repository} at {pinned}; a Job checks that before any worker starts"
        yield Decision("cache", "model cache", f"existing claim {cache.claim_name}", reason)
        return
    match cache.source:
        case S3Copy(address):
            origin = f"copied from {address}"
        case HuggingFaceDownload():
            origin = "from Hugging Face"
    reason = f"{model.repository} at {pinned}, {origin}, needs {cache.needed_gib}Gi"
    yield Decision("cache", "model cache", f"{cache.size_gib}Gi", reason)


def _timeouts(settings: StackSettings, serving: ServingPlan, cache: CachePlan) -> Iterable[Decision]:
    wanted = settings.model_cache
    explicit = wanted is not None and wanted.download_timeout_seconds
    computed = "at the publisher's slowest rate"
    subject = f"wait for the {'check' if isinstance(cache, ExistingVolume) else 'download'}"
    reason = "explicit in modelCache.downloadTimeoutSeconds" if explicit else computed
    yield Decision("timeouts", subject, f"{cache.timeout_seconds} s", reason)
    rate = wanted.read_megabytes_per_second if wanted else None
    if settings.serving.ready_timeout_seconds:
        reason = "explicit in serving.readyTimeoutSeconds"
    elif rate:
        reason = f"by the model's size, read at {rate:,} MB/s (modelCache.readMegabytesPerSecond)"
    else:
        reason = f"likewise, {SLOWEST_LOAD_MEGABYTES_PER_SECOND} MB/s"
    yield Decision("timeouts", "wait for the graph", f"{serving.ready_timeout_seconds} s", reason)


def _lifecycle_reason(stack: StackPlan) -> str:
    if stack.lifecycle == "disposable":
        return "`destroy` removes everything that this stack has created but custom resource definitions"
    held: list[str] = ["the model cache"] if isinstance(stack.cache, OwnVolume) else []
    if keeps_platform_namespace(stack):
        held.append("the data of the servers that this stack runs")
    if not held:
        return (
            "nothing of this stack holds data: the model's volume and the platform's servers are not its own"
        )
    others_made = stack.platform is not None and stack.platform.namespace_exists
    existing = others_made or stack.serving.namespace_exists
    namespaces = "" if existing else " with their namespaces"
    return f"{' and '.join(held)} are protected{namespaces}, and kept when they leave the stack"


def _servers(platform: PlatformPlan | None) -> Iterable[Decision]:
    if not isinstance(platform, OwnPlatform):
        return
    leases_end = "stops all workers, because their leases end"
    yield _server(
        "NATS",
        platform.nats,
        others="its address",
        bundled=f"one server of the platform's chart; {_WITHOUT_NATS}",
        one=f"one server with a volume; {_WITHOUT_NATS}",
        several="pods serve on without it, none starts; streams of a member that is away wait for it",
    )
    if platform.etcd is not None:
        yield _server(
            "etcd",
            platform.etcd,
            others="its addresses",
            bundled="one member of the platform's chart, from Bitnami's archived images (bitnamilegacy), "
            f"which get no fixes; away for more than 10 s it {leases_end}",
            one=f"one member; away for more than 10 s it {leases_end}",
            several="two of three members go on when one is lost; more than 10 s without two of them "
            f"{leases_end} (10 s, fixed in Dynamo 1.2)",
        )


def _server(
    title: str, group: NatsServers | EtcdServers, *, others: str, bundled: str, one: str, several: str
) -> Decision:
    """Return what runs, with the reason that its kind and number of members have."""
    match group:
        case ExternalServers():
            reason = f"others run it; this stack only passes {others} on"
            return Decision("servers", title, f"external, {group.address}", reason)
        case BundledServers():
            return Decision("servers", title, "bundled, 1 member", bundled)
        case NatsArgs(servers) | EtcdArgs(servers):
            reason = one if servers.members < _SEVERAL else several
            return Decision("servers", title, f"own, {in_words(servers.members, 'member')}", reason)


FRONTEND_BACK_SECONDS = 30
"""A frontend's process is started again at once. The operator's readiness probe asks it after 10 s, then each
10 s; the rest is for the start of Python and of the runtime (docs/faults-under-load.md)."""


def losses(serving: ServingPlan) -> Iterable[str]:
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
