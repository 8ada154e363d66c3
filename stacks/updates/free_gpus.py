"""Whether the workers find room in their pools: beside what others run there, or by the settings alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import is_ready
from recipes.graph_manifest.placement import NVLINK_CLIQUE
from stacks.plan.placement.packing import WorkerSet, pack
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.notices import Notice
from stacks.updates.shared_pools import SharedPool, shared_pools, worker_set
from stacks.wording import in_words

_GPUS = "nvidia.com/gpu"
# A preview waits so long at most for one request; it makes one for each pool and one for all pods.
_SECONDS = 5
_MOST_POOLS = 4
_NOT_ENDED = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PoolUse:
    """The nodes of a pool that take new pods, as the cluster has them."""

    gpus: int
    """All GPUs of these nodes."""
    free: Mapping[str, Mapping[int, int]]
    """NVLink clique, empty for none -> GPUs that others leave free on a node -> nodes."""
    others: Mapping[str, tuple[int, int]]
    """Namespace -> GPUs and pods that are not this stack's."""

    @property
    def free_gpus(self) -> int:
        """GPUs that others leave free."""
        return sum(gpus * nodes for counts in self.free.values() for gpus, nodes in counts.items())


def pool_uses(
    stack: StackPlan, cluster: ClusterReader, graphs: Iterable[str] = ()
) -> Mapping[str, PoolUse] | None:
    """Return what the cluster has of each pool that workers use; None where it cannot be asked.

    This reads nodes and pods for a few seconds at most. `graphs` are this stack's own that run and make room;
    the wanted one is among them.
    """
    shared = shared_pools(stack, ()) if _places_workers(stack) else ()
    if not shared or len(shared) > _MOST_POOLS:
        return None
    brief = replace(cluster, seconds=_SECONDS)
    nodes: dict[str, Sequence[KubernetesObject]] = {}
    for pool in shared:
        listed = brief.items("nodes", "--selector", _selector(pool))
        if listed is None:
            return None
        nodes[pool.placed.pool.name] = listed
    pods = brief.items("pods", "--all-namespaces", "--field-selector", _NOT_ENDED)
    if pods is None:
        return None
    own = {stack.serving.graph_name, *graphs}
    others = [pod for pod in pods if _gpus_of(pod) and not _is_own(pod, own, stack.serving.namespace)]
    return {name: _use_of_nodes(listed, others) for name, listed in nodes.items()}


def room_texts(
    stack: StackPlan, uses: Mapping[str, PoolUse] | None, unasked: str = "the cluster could not be asked"
) -> tuple[tuple[str, bool], ...]:
    """Return a sentence for each pool that workers use, and whether they fit.

    Without `uses`, which nobody asked or the cluster did not say, `unasked` is the reason.
    """
    if not _places_workers(stack):
        return ()
    return tuple(_room(shared, uses, unasked) for shared in shared_pools(stack, ()))


def room_notices(stack: StackPlan, uses: Mapping[str, PoolUse] | None) -> tuple[Notice, ...]:
    """Say whether the workers fit; warn where they do not."""
    return tuple(Notice(f"room: {text}", warns=not fits) for text, fits in room_texts(stack, uses))


def _places_workers(stack: StackPlan) -> bool:
    return stack.layers.owns("serving") and not waited_for(stack)


def _room(shared: SharedPool, uses: Mapping[str, PoolUse] | None, unasked: str) -> tuple[str, bool]:
    pool = shared.placed.pool
    workers = [worker_set(worker) for worker in shared.new]
    needed = sum(some.gpus * some.count for some in workers)
    use = uses.get(pool.name) if uses is not None else None
    if use is None or not use.gpus:
        why = unasked if uses is None else "the cluster has none of its nodes ready"
        fits = f"the graph's {in_words(needed, 'GPU')} fit into {pool.gpus} by the settings alone, {why}"
        return f"pool {pool.name}: {fits}", True
    fits = _fits(shared, workers, use)
    free = f"{use.free_gpus} of {in_words(use.gpus, 'GPU')} free, used by others: {_others_text(use)}"
    end = "it fits" if fits else "it does not fit until they end, or nodes join"
    return f"pool {pool.name}: {free}; the graph needs {needed}: {end}", fits


def _fits(shared: SharedPool, workers: Sequence[WorkerSet], use: PoolUse) -> bool:
    places = [Counter(counts) for counts in use.free.values()]
    if not shared.one_nvlink_domain:
        places = [sum(places, Counter[int]())]
    return any(pack(workers, shared.room, free) is not None for free in places)


def _others_text(use: PoolUse) -> str:
    if not use.others:
        return "none"
    most = sorted(use.others.items(), key=lambda item: (-item[1][0], item[0]))
    texts = [
        f"{name} {in_words(gpus, 'GPU')} in {in_words(pods, 'pod')}" for name, (gpus, pods) in most[:_SHOWN]
    ]
    if rest := [gpus for _, (gpus, _) in most[_SHOWN:]]:
        texts.append(f"{len(rest)} other namespaces {in_words(sum(rest), 'GPU')}")
    return ", ".join(texts)


def _use_of_nodes(nodes: Sequence[KubernetesObject], pods: Sequence[KubernetesObject]) -> PoolUse:
    there = {
        node["metadata"]["name"]: node
        for node in nodes
        if is_ready(node) and not node.get("spec", {}).get("unschedulable")
    }
    used: Counter[str] = Counter()
    others: dict[str, tuple[int, int]] = {}
    for pod in (pod for pod in pods if pod["spec"]["nodeName"] in there):
        gpus, namespace = _gpus_of(pod), pod["metadata"]["namespace"]
        used[pod["spec"]["nodeName"]] += gpus
        before = others.get(namespace, (0, 0))
        others[namespace] = (before[0] + gpus, before[1] + 1)
    free: dict[str, Counter[int]] = {}
    for name, node in there.items():
        clique = node["metadata"].get("labels", {}).get(NVLINK_CLIQUE, "")
        free.setdefault(clique, Counter())[max(0, _allocatable(node) - used[name])] += 1
    return PoolUse(sum(_allocatable(node) for node in there.values()), free, others)


def _allocatable(node: KubernetesObject) -> int:
    return _gpus_in(node.get("status", {}).get("allocatable") or {})


def _gpus_of(pod: KubernetesObject) -> int:
    spec: Mapping[str, Sequence[Mapping[str, Any]] | None] = pod.get("spec", {})
    running = sum(_requested(container) for container in spec.get("containers") or [])
    return max([running, *(_requested(container) for container in spec.get("initContainers") or [])])


def _requested(container: Mapping[str, Any]) -> int:
    # Of GPUs the request is the limit, which the API server writes down where only one is given.
    resources: Mapping[str, Mapping[str, Any]] = container.get("resources") or {}
    return _gpus_in(resources.get("requests") or resources.get("limits") or {})


def _gpus_in(quantities: Mapping[str, Any]) -> int:
    text = str(quantities.get(_GPUS, "0"))
    return int(text) if text.isdecimal() else 0


def _is_own(pod: KubernetesObject, graphs: set[str], namespace: str) -> bool:
    metadata = pod["metadata"]
    return metadata.get("namespace") == namespace and metadata.get("labels", {}).get(GRAPH_NAME) in graphs


def _selector(shared: SharedPool) -> str:
    labels = shared.placed.pool.node_selector
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
