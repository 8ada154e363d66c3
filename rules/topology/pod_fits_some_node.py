"""A pod with GPUs asks for no more than some node that can be had."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from hardware import INSTANCE_TYPES, InstanceType
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.network_devices import efa_interfaces
from rules.reading.nodes.node_selection import ARCHITECTURE_LABEL, required_labels
from rules.reading.nodes.placements import read_candidates, read_landing
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods
from rules.reading.pods.resources import requested
from rules.reading.quantities import quantity
from rules.reading.shapes import Undecided

_GIB = 2**30


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    types, where, are_known = _nodes(graph, pods)
    memory, cpus = _asked(pods, "memory") / _GIB, _asked(pods, "cpu")
    asked: dict[str, tuple[float, float]] = {
        "GiB of memory": (memory, max(each.memory_gib for each in types)),
        "CPUs": (cpus, max(each.vcpus for each in types)),
    }
    if not are_known:
        # Of pools that are known other rules compare these.
        interfaces = sum(efa_interfaces(worker) for worker in pods.workers)
        asked["EFA interfaces"] = (interfaces, max(each.efa_interfaces for each in types))
        asked["GPUs"] = (pods.gpus, max(each.gpus for each in types))
    for what, (amount, most) in asked.items():
        if amount > most:
            message = f"asks for {amount:g} {what} in one pod, and {where} has at most {most:g}"
            yield failed(pods.template.resource, pods.name, message)


def _nodes(graph: ResourceGraph, pods: GpuPods) -> tuple[Sequence[InstanceType], str, bool]:
    """The nodes that it can land on, or all that are known here; and whether they are its pool's."""
    try:
        candidates = read_candidates(graph, pods.workers[0])
    except Undecided:
        candidates = ()
    if candidates:
        names = ", ".join(dict.fromkeys(each.instance_type.name for each in candidates))
        return [each.instance_type for each in candidates], f"a node of its pool ({names})", True
    architectures = _architectures(pods)
    types = [each for each in INSTANCE_TYPES.values() if each.cpu_architecture in architectures]
    try:
        allowed = {gpu.name for gpu in read_landing(graph, pods.workers[0]).accelerators}
    except Undecided:
        allowed = set[str]()
    selected = [each for each in types if each.accelerator.name in allowed]
    if selected:
        return selected, f"a node with {', '.join(sorted(allowed))}", False
    of_these = f" with {''.join(architectures)} processors" if len(architectures) == 1 else ""
    return types, f"a node of the types known here{of_these}", False


def _architectures(pods: GpuPods) -> Collection[str]:
    """Of the processors of the nodes that it selects; all that are known where it selects none of them."""
    known = {each.cpu_architecture for each in INSTANCE_TYPES.values()}
    asked: set[str | None] = set()
    # Another rule says of a selection that it cannot be read.
    with suppress(Undecided):
        for label in required_labels(pods.template.spec):
            if label.key == ARCHITECTURE_LABEL and label.operator == "In":
                asked.update(label.values)
    return known & asked or known


def _asked(pods: GpuPods, resource: str) -> float:
    amounts = [requested(pods.template, each, resource) for each in pods.template.containers]
    return float(
        sum(quantity(amount, f"{resource} of {pods.name}") for amount in amounts if amount is not None)
    )


RULE = Rule(
    id="pod-fits-some-node",
    title="A pod with GPUs asks for no more than a node has",
    severity=Severity.ADVISORY,
    reason="The scheduler gives a pod what one node has; a larger one stays Pending for ever.",
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/; sizes: EC2 "
        "DescribeInstanceTypes, beside which nodes of other makers may be larger"
    ),
    lines=EVERY_RELEASE,
    fix="Ask for less in one pod: more replicas, or a worker that spans nodes (multinode).",
    check=_check,
)
