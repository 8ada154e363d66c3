"""What pods ask for of GPUs, memory and devices, and whether nodes have it: each, all, and in an update."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hardware import INSTANCE_TYPES, InstanceType
from resource_graph import ResourceGraph, Value
from rules.reading.devices import efa_interfaces
from rules.reading.gpu_pods import GpuPods, Occupied, claims_channel, home, read_occupancy
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    read_candidates,
    read_landing,
    required_labels,
    values_of,
)
from rules.reading.pods.containers import OWN_SHARED_MEMORY, limit, requested, shared_memory
from rules.reading.pods.operator_defaults import OPERATORS_DEFAULT, read_surge
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import FRONTEND_TYPE, frontends_of_pods, workers_of_pods
from rules.reading.shapes import known, quantity
from rules.rule import (
    EVERY_RELEASE,
    GPU_PODS,
    POD_TEMPLATES,
    Advice,
    Observation,
    Said,
    Severity,
    failed,
    graph_rule,
    names,
    rule,
)

_Container = Mapping[str, Value]
_UNITS = {"memory": 2**30, "cpu": 1}


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "The scheduler gives a pod what one node has; a larger one stays Pending for ever. Where no pool is "
        "known this is advice: nodes of other makers may be larger."
    ),
    source=(
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/ and "
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/; sizes: EC2 "
        "DescribeInstanceTypes"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Choose a pool with larger nodes, or ask for less in one pod: less parallelism, more replicas, or a "
        "worker that spans nodes (multinode)."
    ),
)
def worker_fits_node(graph: ResourceGraph, pods: GpuPods) -> Iterator[Said]:
    """Pod asks for more than a node has."""
    types, where, is_pool = _nodes(graph, pods)
    interfaces = sum(map(efa_interfaces, pods.workers))
    asked: dict[str, tuple[float, float]] = {
        "GPUs": (pods.gpus, max(each.gpus for each in types)),
        "EFA interfaces": (interfaces, max(each.efa_interfaces for each in types)),
        "GiB of memory": (_asked(pods, "memory"), max(each.memory_gib for each in types)),
        "CPUs": (_asked(pods, "cpu"), max(each.vcpus for each in types)),
    }
    for what, (amount, most) in asked.items():
        if amount > most:
            said = f"asks for {amount:g} {what} in one pod, and {where} has at most {most:g}"
            yield said if is_pool else Advice(said)
    # Pods that no pool selects are no matter of size, and nothing can be said without a pool.
    read_candidates(graph, pods.workers[0])


def _nodes(graph: ResourceGraph, pods: GpuPods) -> tuple[Sequence[InstanceType], str, bool]:
    """Nodes that the pods can land on or all known ones, their name, and whether they are of a pool."""
    candidates = known(read_candidates, graph, pods.workers[0])
    if candidates:
        nodes = [each.instance_type for each in candidates]
        return nodes, f"a node of its pool ({names(nodes)})", True
    architectures = _architectures(pods)
    types = [each for each in INSTANCE_TYPES.values() if each.cpu_architecture in architectures]
    landing = known(read_landing, graph, pods.workers[0])
    allowed = set[str]() if landing is None else {gpu.name for gpu in landing[0]}
    selected = [each for each in types if each.accelerator.name in allowed]
    if selected:
        return selected, f"a node with {', '.join(sorted(allowed))}", False
    of_these = f" with {''.join(architectures)} processors" if len(architectures) == 1 else ""
    return types, f"a node of the types known here{of_these}", False


def _architectures(pods: GpuPods) -> Collection[str]:
    """Processor architectures of the nodes that the pods select; all known ones where they select none."""
    every = {each.cpu_architecture for each in INSTANCE_TYPES.values()}
    # Another rule reports a selection that cannot be read.
    labels = known(required_labels, pods.template.spec) or ()
    return every & values_of(labels, ARCHITECTURE_LABEL) or every


def _asked(pods: GpuPods, resource: str) -> float:
    """The GiB or CPUs that all containers of one pod ask for."""
    template, what = pods.template, f"{resource} of {pods.name}"
    amounts = [requested(template, container, resource) for container in template.containers]
    whole = sum(quantity(amount, what) for amount in amounts if amount is not None)
    return float(whole / _UNITS[resource])


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "GPUs are whole and belong to one node: what does not fit beside the others stays Pending, and a "
        "graph of which one worker is missing answers nothing. Of a compute domain's channel the DRA driver "
        "offers one on each node, for one pod, however many GPUs are free."
    ),
    source=(
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/; "
        "kubernetes-sigs/dra-driver-nvidia-gpu#353"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "Lower the replicas, add nodes to the pool, or place one of the workers in another pool; or serve "
        "without a compute domain."
    ),
)
def workers_fit_pool(graph: ResourceGraph) -> Iterator[Observation]:
    """Pool has too few GPUs, or nodes with a compute domain's channel, for all its workers."""
    # Of single pods this tells only whose place is not known; the pods themselves are judged by pool.
    yield from GPU_PODS.judge(graph, _is_placed)
    for name, occupied in read_occupancy(graph).items():
        message = known(_overfull, occupied)
        if message is not None:
            yield failed(occupied.pods[-1].template.resource, names(occupied.pods), message)
        claiming = [pods for pods in occupied.pods if known(claims_channel, graph, pods)]
        nodes, total = occupied.placement.known_nodes, sum(pods.pods for pods in claiming)
        if nodes is not None and total > nodes:
            yield failed(
                claiming[-1].template.resource,
                names(claiming),
                f"{total} pods ({' + '.join(f'{pods.pods} of {pods.name}' for pods in claiming)}) each claim "
                f"a compute domain's channel, of which a node has one, but pool {name} has {nodes} "
                f"node{'s' if nodes > 1 else ''} of {occupied.placement.instance_type.name}",
            )


def _is_placed(graph: ResourceGraph, pods: GpuPods) -> Iterable[Said]:
    """Raises Undecided where nobody says in which pool the pods are, how large it is, or what they claim."""
    pool = home(graph, pods)
    if pool is not None:
        _ = pool.nodes
    claims_channel(graph, pods)
    return ()


def _overfull(occupied: Occupied) -> str | None:
    placement, sizes = occupied.placement, occupied.sizes
    if occupied.takes(sizes):
        return None
    gpus = placement.nodes * placement.instance_type.gpus
    asked = sum(size * count for size, count in sizes.items())
    counted = " + ".join(pods.counted for pods in occupied.pods if pods.gpus in sizes)
    if asked > gpus:
        return f"{counted} is {asked} GPUs, but {placement} has {gpus}"
    return (
        f"{counted} is {asked} of the {gpus} GPUs of {placement}, but each pod needs its GPUs on one node, "
        "and so they cannot be packed"
    )


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Without requests the scheduler counts a pod as free: several land where only one has room, and "
        "under memory pressure the kubelet evicts them first, model and all. What is written to /dev/shm, a "
        "tmpfs, counts as memory of the container, which is killed at its limit long before it is full."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ and "
        "https://kubernetes.io/docs/concepts/storage/volumes/#emptydir (medium Memory)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Request the worker's share of the node's CPU and memory, the model's size in memory included, with "
        "a memory limit above shared memory and process together."
    ),
)
def pods_request_memory(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Memory or CPU that the pod takes is not asked for."""
    for name, container in _serving_containers(graph, template):
        missing = [each for each in ("cpu", "memory") if requested(template, container, each) is None]
        most = limit(template, container, "memory")
        needs_shared = most is not None or "memory" in missing
        shared = shared_memory(template, container) if needs_shared else None
        if shared == OWN_SHARED_MEMORY:
            shared = None
        if missing:
            message = f"requests no {' and no '.join(missing)}, nor has it such a limit"
            if shared is not None and "memory" in missing:
                message += f"; {shared.value} of shared memory ({shared.source}) count as its memory too"
            yield failed(template.resource, name, message)
        amount = None if shared is None or most is None else quantity(shared.value, shared.source)
        if shared is not None and amount is not None and amount >= quantity(most, "the memory limit"):
            said = f"has {shared.value} of shared memory ({shared.source}), which counts as its own memory"
            yield failed(template.resource, name, f"{said}, of which the limit is {most}")


def _serving_containers(graph: ResourceGraph, template: PodTemplate) -> Iterable[tuple[str, _Container]]:
    """Name and container of every frontend and worker that the template's pods run."""
    if template.component_type == FRONTEND_TYPE:
        return [(template.name, template.main)]
    started = (*workers_of_pods(graph).get(template, ()), *frontends_of_pods(graph).get(template, ()))
    # One container may start both a frontend and a worker, or several workers.
    named: dict[int, tuple[str, _Container]] = {}
    for each in started:
        named.setdefault(id(each.container), (each.name, each.container))
    return named.values()


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "With no pod unavailable a rolling update starts a new pod and waits until it is ready. Where the "
        "pool has no room for it the pod stays Pending, the old pods stay, and the update never ends. Where "
        "no annotation says how many may be unavailable the operator takes 25 %, none of up to three "
        "replicas; other pages name one pod (advice)."
    ),
    source=(
        "ai-dynamo/dynamo#4990 (the annotations); "
        "https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment"
    ),
    lines=("Dynamo 0.8 to 1.4",),
    fix=(
        "Let an old pod go first: nvidia.com/deployment-strategy Recreate, or "
        "nvidia.com/deployment-rolling-update-max-unavailable 1 with max-surge 0 (a Deployment: "
        "spec.strategy); or keep a worker's GPUs free."
    ),
)
def rollout_can_proceed(graph: ResourceGraph, pods: GpuPods) -> Iterator[Said]:
    """Rolling update finds no room for its first new pod."""
    rollout = read_surge(pods.template)
    if rollout is None or not pods.pods:
        return
    placement = home(graph, pods)
    if placement is None or pods.gpus > placement.instance_type.gpus:
        return
    reason = _no_room(read_occupancy(graph)[placement.name], pods)
    if reason is not None:
        surge, source = rollout
        said = (
            f"its rollout starts {surge} pod{'s' if surge > 1 else ''} before an old one may go "
            f"(max-unavailable 0, {source}), {reason}"
        )
        yield Advice(said) if source == OPERATORS_DEFAULT else said


def _no_room(occupied: Occupied, pods: GpuPods) -> str | None:
    """Why no further pod fits; None where one does, or where the pods do not even fit at rest."""
    placement, sizes = occupied.placement, occupied.sizes
    if not occupied.takes(sizes) or occupied.takes(sizes + Counter([pods.gpus])):
        return None
    free = placement.nodes * placement.instance_type.gpus - sum(sizes.elements())
    return f"which needs {pods.gpus} free GPUs on one node; {placement} has {free} free in all"
