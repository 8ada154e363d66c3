"""Why the stack is as it is, for `explain`."""

from collections.abc import Iterable

from components.dynamo_objects import USES_PLATFORM
from hardware import ACCELERATORS, INSTANCE_TYPES
from recipes.model_download import HuggingFaceDownload, S3Copy
from recipes.placed import PlacedService, PoolPlacement
from stacks.plan.resolved import (
    Decision,
    ExistingVolume,
    OwnVolume,
    ResolvedCache,
    ResolvedPlatform,
    ResolvedServing,
)
from stacks.plan.retention import keeps_platform_namespace
from stacks.plan.server_decisions import platform_decisions
from stacks.plan.timeouts import SLOWEST_LOAD_MEGABYTES_PER_SECOND
from stacks.settings.stack import StackSettings
from stacks.wording import in_words

# What they add is more than the level baseline has: capabilities, or all privileges
# (https://kubernetes.io/docs/concepts/security/pod-security-standards/). Without them the engine's container
# has no seccomp profile, which only the level restricted asks for.
_PRIVILEGED = frozenset({"rdma", "efa"})


def decisions(
    settings: StackSettings, platform: ResolvedPlatform, serving: ResolvedServing, cache: ResolvedCache
) -> tuple[Decision, ...]:
    """Return one decision for everything that was worked out or that a person should know was chosen."""
    return (
        *_placements(serving),
        *_replicas(settings, serving),
        *_rollouts(serving),
        *_transport(serving),
        *platform_decisions(platform),
        *_namespaces(settings, platform, serving),
        *_cache(settings, serving, cache),
        *_timeouts(settings, serving, cache),
        Decision(
            "lifecycle",
            "lifecycle",
            settings.lifecycle,
            _lifecycle_reason(settings, platform, serving, cache),
        ),
        *_evidence(serving),
    )


def _placed_workers(serving: ResolvedServing) -> list[tuple[PlacedService, PoolPlacement]]:
    return [(worker, worker.placement) for worker in serving.placed.workers if worker.placement]


def _placements(serving: ResolvedServing) -> Iterable[Decision]:
    alone = serving.kv_transport is not None and serving.kv_transport.path.one_pod_per_node
    yield from _beside_the_cache(serving)
    for worker, placement in _placed_workers(serving):
        labels = ", ".join(f"{label}={value}" for label, value in placement.node_selector.items())
        reason = (
            f"pool {placement.pool} has {placement.instance_type} nodes; one of them holds a worker's "
            f"{in_words(worker.gpus, 'GPU')}{', and no second worker of this KV transport' if alone else ''}"
        )
        yield Decision("placement", f"nodes of {worker.name}", labels, reason)


def _beside_the_cache(serving: ResolvedServing) -> Iterable[Decision]:
    nodes = serving.placed.cache_nodes
    if nodes is None:
        return
    labels = " or ".join(
        ", ".join(f"{label}={value}" for label, value in selector.items()) for selector in nodes.selectors
    )
    what = "have a copy of the model each" if serving.placed.cache_directory else "mount the model's disk"
    for service in serving.placed.services:
        if service.placement is None:
            yield Decision("placement", f"nodes of {service.name}", labels, f"these alone {what}")


def _replicas(settings: StackSettings, serving: ResolvedServing) -> Iterable[Decision]:
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


def _rollouts(serving: ResolvedServing) -> Iterable[Decision]:
    for worker, placement in _placed_workers(serving):
        rollout = placement.rollout
        yield Decision(
            "rollout",
            f"rollout of {worker.name}",
            rollout.strategy,
            f"{rollout.reason}; {rollout.interruption}",
        )


def _transport(serving: ResolvedServing) -> Iterable[Decision]:
    transport = serving.kv_transport
    if transport is None:
        reason = "the recipe is aggregated: its KV cache never leaves the worker"
        yield Decision("kv transport", "KV transport", "none", reason)
        return
    yield Decision("kv transport", "KV transport", transport.path.transport, transport.reason)


def _cache(settings: StackSettings, serving: ResolvedServing, cache: ResolvedCache) -> Iterable[Decision]:
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
            origin = "downloaded from the Hugging Face hub"
    reason = f"{model.repository} at {pinned}, {origin}, needs {cache.needed_gib}Gi"
    yield Decision("cache", "model cache", f"{cache.size_gib}Gi", reason)


def _timeouts(settings: StackSettings, serving: ResolvedServing, cache: ResolvedCache) -> Iterable[Decision]:
    typed = settings.model_cache
    rate = typed.read_megabytes_per_second if typed else None
    computed = "by the model's size, at the slowest rate that the publisher's times allow"
    work = "check" if isinstance(cache, ExistingVolume) else "download"
    yield Decision(
        "timeouts",
        f"wait for the {work}",
        f"{cache.timeout_seconds} s",
        "explicit in modelCache.downloadTimeoutSeconds"
        if typed and typed.download_timeout_seconds
        else computed,
    )
    loading = (
        f"by the model's size, read at {rate:,} MB/s (modelCache.readMegabytesPerSecond)"
        if rate
        else f"likewise, {SLOWEST_LOAD_MEGABYTES_PER_SECOND} MB/s"
    )
    yield Decision(
        "timeouts",
        "wait for the graph",
        f"{serving.ready_timeout_seconds} s",
        "explicit in serving.readyTimeoutSeconds" if settings.serving.ready_timeout_seconds else loading,
    )


def _lifecycle_reason(
    settings: StackSettings, platform: ResolvedPlatform, serving: ResolvedServing, cache: ResolvedCache
) -> str:
    if settings.lifecycle == "disposable":
        return "`destroy` removes everything that this stack has created but custom resource definitions"
    held: list[str] = ["the model cache"] if isinstance(cache, OwnVolume) else []
    if keeps_platform_namespace(settings.lifecycle, platform):
        held.append("the data of the servers that this stack runs")
    if not held:
        return (
            "nothing of this stack holds data: the model's volume and the platform's servers are not its own"
        )
    existing = platform.namespace_exists or serving.namespace_exists
    namespaces = "" if existing else " with their namespaces"
    return f"{' and '.join(held)} are protected{namespaces}, and kept when they leave the stack"


def _namespaces(
    settings: StackSettings, platform: ResolvedPlatform, serving: ResolvedServing
) -> Iterable[Decision]:
    untouched = "others made it: this stack neither creates, labels nor removes it"
    enforced = "Pod Security of at most the level"
    if platform.namespace_exists:
        reason = f"{untouched}; {enforced} baseline admits operator and servers"
        yield Decision("platform", "its namespace", f"existing, {platform.namespace}", reason)
    if not serving.namespace_exists:
        return
    privileged = serving.placed.kv_transport in _PRIVILEGED or serving.placed.cache_directory
    reason = f"{untouched}; {enforced} {'privileged' if privileged else 'baseline'} admits its pods"
    if platform.kind == "existing" and settings.network_policies:
        label = f"{USES_PLATFORM}={platform.namespace}"
        reason += (
            "; where another stack limits who reaches NATS and etcd, it needs a label: "
            f"kubectl label namespace {serving.namespace} {label}"
        )
    yield Decision("platform", "namespace of the graph", f"existing, {serving.namespace}", reason)


def _evidence(serving: ResolvedServing) -> Iterable[Decision]:
    recipe = serving.placed.recipe
    used = {
        INSTANCE_TYPES[placement.instance_type].accelerator.name for _, placement in _placed_workers(serving)
    }
    for accelerator in sorted(used - set(recipe.validated_on)):
        validated = " and ".join(recipe.validated_on)
        reason = (
            f"its publisher has run {recipe.name} on {validated} alone; "
            f"{ACCELERATORS[accelerator].architecture_family.capitalize()} has the kernels that it needs"
        )
        yield Decision("evidence", f"{recipe.name} on {accelerator}", "not validated upstream", reason)
