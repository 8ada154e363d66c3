"""Whether the workers find room in their pools: beside what others run there, or by the settings alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.cluster_answer import NODES, PODS, Answer, KubernetesObject, labels_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import allocatable_gpus, gpus_in, is_ready
from recipes.pod_placement import NVLINK_CLIQUE
from stacks.errors import NOTHING_DONE, Problem
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.packing import WorkerSet, pack
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.comparable_graph import Graph
from stacks.updates.nested_values import mapping_in
from stacks.updates.notices import Notice
from stacks.updates.running import Running
from stacks.wording import in_words

# A preview waits so long at most for one request; it makes one for each pool and one for all pods.
_SECONDS = 5
_NOT_ENDED = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PoolUse:
    """The nodes of a pool, as the cluster has them."""

    nodes: int
    """Those that take new pods."""
    gpus: int
    """All GPUs of these nodes."""
    free: Mapping[str, Mapping[int, int]]
    """NVLink clique, empty for none -> GPUs that others leave free on a node -> nodes."""
    others: Mapping[str, int]
    """Namespace -> GPUs of pods that are not this stack's."""
    unusable: tuple[str, ...] = ()
    """The nodes that take none, each with the reason and what to type."""

    @property
    def free_gpus(self) -> int:
        """GPUs that others leave free."""
        return sum(gpus * nodes for counts in self.free.values() for gpus, nodes in counts.items())


Uses = Mapping[str, PoolUse]
"""Pool -> its nodes."""


def pool_uses(stack: StackPlan, cluster: ClusterReader, graphs: Iterable[Graph] = ()) -> Uses | Answer:
    """Return what the cluster has of each pool that workers use, or the answer of one that does not say.

    This reads nodes and pods for a few seconds at most. `graphs` are this stack's own that run and make room;
    the wanted one is among them.
    """
    nodes = nodes_of_pools(stack, cluster)
    if isinstance(nodes, Answer) or not nodes:
        return nodes if isinstance(nodes, Answer) else {}
    pods = cluster.within(_SECONDS).ask(PODS, fieldSelector=_NOT_ENDED)
    if not pods.is_known:
        return pods
    own = {
        (stack.serving.namespace, stack.serving.graph_name),
        *((one.namespace, one.name) for one in graphs),
    }
    others = [
        pod
        for pod in pods.items
        if "deletionTimestamp" not in pod["metadata"]
        and (pod["metadata"]["namespace"], labels_of(pod).get(GRAPH_NAME)) not in own
    ]
    return {name: _use_of_nodes(listed, others) for name, listed in nodes.items()}


def nodes_of_pools(
    stack: StackPlan, cluster: ClusterReader
) -> Mapping[str, Sequence[KubernetesObject]] | Answer:
    """Return the nodes of each pool that workers use, or the answer of a cluster that does not say."""
    nodes: dict[str, Sequence[KubernetesObject]] = {}
    for placed in stack.used_pools if _places_workers(stack) else ():
        listed = cluster.within(_SECONDS).ask(NODES, labelSelector=_selector(placed))
        if not listed.is_known:
            return listed
        nodes[placed.pool.name] = listed.items
    return nodes


def room_texts(stack: StackPlan, uses: Uses | str) -> tuple[tuple[str, bool], ...]:
    """Return a sentence for each pool that workers use, and whether they fit.

    A text in place of the uses says why there are none.
    """
    if not _places_workers(stack):
        return ()
    return tuple(_room(stack, placed, uses) for placed in stack.used_pools)


def room_notices(stack: StackPlan, uses: Uses | Answer) -> tuple[Notice, ...]:
    """Say whether the workers fit; warn where they do not."""
    said = f"the cluster could not be asked: {uses.why}" if isinstance(uses, Answer) else uses
    return tuple(Notice(f"room: {text}", warns=not fits) for text, fits in room_texts(stack, said))


def room_problems(
    stack: StackPlan, wanted: Graph, before: Running, uses: Uses | Answer
) -> tuple[Problem, ...]:
    """Return what asks for more than the cluster has, unless the settings allow to wait for it.

    A stack that makes its own nodes may be making them in this run, and workers that run and stay need none.
    """
    if isinstance(uses, Answer) or stack.infrastructure is not None or stack.settings.serving.wait_for_room:
        return ()
    running = before.graph_in_place_of(wanted)
    if running is not None and running.makes_same_workers(wanted):
        return ()
    return tuple(
        _problem(stack, placed, use)
        for placed in stack.used_pools
        if (use := uses.get(placed.pool.name)) and not _fits(stack, placed, use)
    )


def _places_workers(stack: StackPlan) -> bool:
    return stack.layers.owns("serving") and not waited_for(stack)


def _room(stack: StackPlan, placed: PlacedPool, uses: Uses | str) -> tuple[str, bool]:
    pool = placed.pool
    if isinstance(uses, str):
        needed = in_words(placed.used_gpus, "GPU")
        text = f"pool {pool.name}: the graph's {needed} fit into {pool.gpus} by the settings alone, {uses}"
        return text, True
    use = uses[pool.name]
    fits = _fits(stack, placed, use)
    end = "it fits" if fits else "it does not fit until others end, or nodes join"
    return f"pool {pool.name}: {_use_text(placed, use)}: {end}", fits


def _use_text(placed: PlacedPool, use: PoolUse) -> str:
    needs = f"this stack needs {placed.used_gpus}"
    if not use.nodes:
        why = "; ".join(use.unusable[:_SHOWN]) or f"no node bears {_selector(placed)}"
        return f"the cluster has none of its nodes ready, {why}; {needs}"
    most = sorted(use.others.items(), key=lambda item: -item[1])[:_SHOWN]
    others = ", ".join(f"{namespace} {in_words(gpus, 'GPU')}" for namespace, gpus in most)
    whose = f" ({others})" if others else ""
    return f"{use.free_gpus} of {in_words(use.gpus, 'GPU')} not used by others{whose}; {needs}"


def _problem(stack: StackPlan, placed: PlacedPool, use: PoolUse) -> Problem:
    pool = placed.pool
    message = f"pool {pool.name}: {_use_text(placed, use)}. `up` would wait for it; {NOTHING_DONE}"
    wait = "serving.waitForRoom: true, with which `up` waits for room as long as for the graph"
    if use.nodes < pool.nodes:
        key = f"nodePools[{stack.pools.index(placed)}].nodes"
        has = f"nodes of this pool that take pods in the cluster: {use.nodes}. "
        return Problem(key, pool.nodes, has + message, suggestion=f"its real number, or {wait}")
    return Problem("serving.replicas", None, message, suggestion=f"fewer replicas, another pool, or {wait}")


def _fits(stack: StackPlan, placed: PlacedPool, use: PoolUse) -> bool:
    workers = [WorkerSet(each.name, each.gpus, each.replicas) for each in stack.workers_in(placed)]
    places = [Counter(counts) for counts in use.free.values()]
    if not stack.serving.placed.same_clique:
        places = [sum(places, Counter[int]())]
    return any(pack(workers, placed.room, free) is not None for free in places)


def _use_of_nodes(nodes: Sequence[KubernetesObject], pods: Sequence[KubernetesObject]) -> PoolUse:
    why = {node["metadata"]["name"]: _why_unusable(node) for node in nodes}
    there = {node["metadata"]["name"]: node for node in nodes if not why[node["metadata"]["name"]]}
    used: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for pod in (pod for pod in pods if pod["spec"]["nodeName"] in there):
        used[pod["spec"]["nodeName"]] += _gpus_of(pod)
        others[pod["metadata"]["namespace"]] += _gpus_of(pod)
    free: dict[str, Counter[int]] = {}
    for name, node in there.items():
        clique = labels_of(node).get(NVLINK_CLIQUE, "")
        free.setdefault(clique, Counter())[max(0, allocatable_gpus(node) - used[name])] += 1
    gpus = sum(allocatable_gpus(node) for node in there.values())
    # Of pods without GPUs nobody need hear.
    return PoolUse(len(there), gpus, free, +others, tuple(filter(None, why.values())))


def _why_unusable(node: KubernetesObject) -> str:
    """Why a node takes no new pods; empty for one that does."""
    name = node["metadata"]["name"]
    if node.get("spec", {}).get("unschedulable"):
        return f"node {name} is cordoned (`kubectl uncordon {name}` takes that back)"
    return "" if is_ready(node) else f"node {name} is not Ready (`kubectl describe node {name}` says why)"


def _gpus_of(pod: KubernetesObject) -> int:
    # Of GPUs the request is the limit, which the API server writes down where only the other is given.
    containers: Sequence[Mapping[str, Any]] = pod.get("spec", {}).get("containers") or []
    resources = (mapping_in(each, "resources", "requests") for each in containers)
    return sum(map(gpus_in, resources))


def _selector(placed: PlacedPool) -> str:
    labels = placed.pool.node_selector
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
