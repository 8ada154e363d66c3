"""Whether the workers find room in their pools: beside what others run there, or by the settings alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.cluster_answer import NODES, PODS, Answer, KubernetesObject, labels_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import allocatable_gpus, gpus_in, is_ready
from recipes.graph_manifest.placement import NVLINK_CLIQUE
from stacks.errors import Problem
from stacks.plan.placement.packing import WorkerSet, pack
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.beside_what_runs import SharedPool, shared_pools, worker_set
from stacks.updates.comparable_graph import Graph, graph_of
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
    others: Mapping[str, tuple[int, int]]
    """Namespace -> GPUs and pods that are not this stack's."""
    own: int = 0
    """GPUs of this stack's own pods, also on nodes that take no new ones."""
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
    mine: list[KubernetesObject] = []
    others: list[KubernetesObject] = []
    for pod in pods.items:
        if _gpus_of(pod) and "deletionTimestamp" not in pod["metadata"]:
            graph = pod["metadata"]["namespace"], labels_of(pod).get(GRAPH_NAME)
            (mine if graph in own else others).append(pod)
    return {name: _use_of_nodes(listed, mine, others) for name, listed in nodes.items()}


def nodes_of_pools(
    stack: StackPlan, cluster: ClusterReader
) -> Mapping[str, Sequence[KubernetesObject]] | Answer:
    """Return the nodes of each pool that workers use, or the answer of a cluster that does not say."""
    nodes: dict[str, Sequence[KubernetesObject]] = {}
    for pool in shared_pools(stack, ()) if _places_workers(stack) else ():
        listed = cluster.within(_SECONDS).ask(NODES, labelSelector=_selector(pool))
        if not listed.is_known:
            return listed
        nodes[pool.placed.pool.name] = listed.items
    return nodes


def room_texts(stack: StackPlan, uses: Uses | str) -> tuple[tuple[str, bool], ...]:
    """Return a sentence for each pool that workers use, and whether they fit.

    A text in place of the uses says why there are none.
    """
    if not _places_workers(stack):
        return ()
    return tuple(_room(shared, uses) for shared in shared_pools(stack, ()))


def room_notices(stack: StackPlan, uses: Uses | Answer) -> tuple[Notice, ...]:
    """Say whether the workers fit; warn where they do not."""
    said = f"the cluster could not be asked: {uses.why}" if isinstance(uses, Answer) else uses
    return tuple(Notice(f"room: {text}", warns=not fits) for text, fits in room_texts(stack, said))


def room_problems(stack: StackPlan, before: Running, uses: Uses | Answer) -> tuple[Problem, ...]:
    """Return what asks for more than the cluster has, unless the settings allow to wait for it.

    A stack that makes its own nodes may be making them in this run, and workers that run and stay need none.
    """
    if isinstance(uses, Answer) or stack.infrastructure is not None or stack.serving.waits_for_room:
        return ()
    wanted = graph_of(stack)
    running = before.graph_in_place_of(wanted)
    stay = running is not None and running.makes_same_workers(wanted)
    indices = {placed.pool.name: index for index, placed in enumerate(stack.pools)}
    return tuple(
        _problem(indices[shared.placed.pool.name], shared, use)
        for shared in shared_pools(stack, ())
        if (use := uses.get(shared.placed.pool.name))
        and not _fits(shared, use)
        and not (stay and use.own >= _needed(shared))
    )


def _places_workers(stack: StackPlan) -> bool:
    return stack.layers.owns("serving") and not waited_for(stack)


def _room(shared: SharedPool, uses: Uses | str) -> tuple[str, bool]:
    pool = shared.placed.pool
    if isinstance(uses, str):
        needed = in_words(_needed(shared), "GPU")
        text = f"pool {pool.name}: the graph's {needed} fit into {pool.gpus} by the settings alone, {uses}"
        return text, True
    use = uses[pool.name]
    fits = _fits(shared, use)
    end = "it fits" if fits else "it does not fit until others end, or nodes join"
    return f"pool {pool.name}: {_use_text(shared, use)}: {end}", fits


def _use_text(shared: SharedPool, use: PoolUse) -> str:
    needs = f"this stack needs {_needed(shared)}"
    if not use.nodes:
        why = "; ".join(use.unusable[:_SHOWN]) or f"no node bears {_selector(shared)}"
        return f"the cluster has none of its nodes ready, {why}; {needs}"
    others = f" ({_others_text(use)})" if use.others else ""
    return f"{use.free_gpus} of {in_words(use.gpus, 'GPU')} not used by others{others}; {needs}"


def _problem(index: int, shared: SharedPool, use: PoolUse) -> Problem:
    pool = shared.placed.pool
    message = (
        f"pool {pool.name}: {_use_text(shared, use)}. `up` would wait for it; nothing was created or changed"
    )
    wait = "serving.waitForRoom: true, with which `up` waits for room as long as for the graph"
    if use.nodes < pool.nodes:
        has = f"nodes of this pool that take pods in the cluster: {use.nodes}. "
        return Problem(
            f"nodePools[{index}].nodes", pool.nodes, has + message, suggestion=f"its real number, or {wait}"
        )
    return Problem("serving.replicas", None, message, suggestion=f"fewer replicas, another pool, or {wait}")


def _needed(shared: SharedPool) -> int:
    return sum(some.gpus * some.count for some in map(worker_set, shared.new))


def _fits(shared: SharedPool, use: PoolUse) -> bool:
    workers: Sequence[WorkerSet] = [worker_set(worker) for worker in shared.new]
    places = [Counter(counts) for counts in use.free.values()]
    if not shared.one_nvlink_domain:
        places = [sum(places, Counter[int]())]
    return any(pack(workers, shared.room, free) is not None for free in places)


def _others_text(use: PoolUse) -> str:
    most = sorted(use.others.items(), key=lambda item: (-item[1][0], item[0]))
    texts = [
        f"{name} {in_words(gpus, 'GPU')} in {in_words(pods, 'pod')}" for name, (gpus, pods) in most[:_SHOWN]
    ]
    if rest := [gpus for _, (gpus, _) in most[_SHOWN:]]:
        texts.append(f"{len(rest)} other namespaces {in_words(sum(rest), 'GPU')}")
    return ", ".join(texts)


def _use_of_nodes(
    nodes: Sequence[KubernetesObject], mine: Sequence[KubernetesObject], pods: Sequence[KubernetesObject]
) -> PoolUse:
    why = {node["metadata"]["name"]: _why_unusable(node) for node in nodes}
    there = {node["metadata"]["name"]: node for node in nodes if not why[node["metadata"]["name"]]}
    used: Counter[str] = Counter()
    others: dict[str, tuple[int, int]] = {}
    for pod in (pod for pod in pods if pod["spec"]["nodeName"] in there):
        gpus, namespace = _gpus_of(pod), pod["metadata"]["namespace"]
        used[pod["spec"]["nodeName"]] += gpus
        before = others.get(namespace, (0, 0))
        others[namespace] = (before[0] + gpus, before[1] + 1)
    free: dict[str, Counter[int]] = {}
    for name, node in there.items():
        clique = labels_of(node).get(NVLINK_CLIQUE, "")
        free.setdefault(clique, Counter())[max(0, allocatable_gpus(node) - used[name])] += 1
    gpus = sum(allocatable_gpus(node) for node in there.values())
    own = sum(_gpus_of(pod) for pod in mine if pod["spec"]["nodeName"] in why)
    return PoolUse(len(there), gpus, free, others, own, tuple(filter(None, why.values())))


def _why_unusable(node: KubernetesObject) -> str:
    """Why a node takes no new pods; empty for one that does."""
    name = node["metadata"]["name"]
    if node.get("spec", {}).get("unschedulable"):
        return f"node {name} is cordoned (`kubectl uncordon {name}` takes that back)"
    return "" if is_ready(node) else f"node {name} is not Ready (`kubectl describe node {name}` says why)"


def _gpus_of(pod: KubernetesObject) -> int:
    spec: Mapping[str, Sequence[Mapping[str, Any]] | None] = pod.get("spec", {})
    running = sum(_requested(container) for container in spec.get("containers") or [])
    return max([running, *(_requested(container) for container in spec.get("initContainers") or [])])


def _requested(container: Mapping[str, Any]) -> int:
    # Of GPUs the request is the limit, which the API server writes down where only one is given.
    resources: Mapping[str, Mapping[str, Any]] = container.get("resources") or {}
    return gpus_in(resources.get("requests") or resources.get("limits") or {})


def _selector(shared: SharedPool) -> str:
    labels = shared.placed.pool.node_selector
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
