"""A worker asks for network devices that a node can give it."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.nodes.network_devices import EFA_RESOURCE, efa_interfaces
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import mappings_at, text_at

_DEVICES = "/dev/infiniband"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    asked = efa_interfaces(worker)
    if not asked:
        return
    for name in _volumes_over_devices(worker):
        yield failed(
            worker.resource,
            worker.name,
            f"mounts the node's {_DEVICES} (volume {name}) over the {asked} {EFA_RESOURCE} that the device "
            "plugin gives it, which leaves libfabric without a device",
        )
    placement = read_placement(graph, worker)
    node = placement.instance_type
    if asked > node.efa_interfaces:
        yield failed(
            worker.resource,
            worker.name,
            f"asks for {asked} {EFA_RESOURCE} in one pod, but a node of pool {placement.pool} ({node.name}) "
            f"has {node.efa_interfaces}",
        )
    elif node.pod_takes_every_efa_interface and asked < node.efa_interfaces:
        yield failed(
            worker.resource,
            worker.name,
            f"asks for {asked} of the {node.efa_interfaces} {EFA_RESOURCE} of a node of pool "
            f"{placement.pool} ({node.name}), on which a pod that uses EFA must have all of them",
        )


def _volumes_over_devices(worker: Worker) -> Sequence[str]:
    names: list[str] = []
    for volume in mappings_at(worker.pod, "volumes"):
        path = text_at(volume, "hostPath", "path")
        if path is not None and path.rstrip("/").startswith(_DEVICES):
            names.append(text_at(volume, "name") or "unnamed")
    return names


RULE = Rule(
    id="kv-transport-devices",
    title="A worker asks for network devices that a node can give it",
    severity=Severity.MANDATORY,
    reason=(
        "A pod that asks for more EFA interfaces than a node has stays Pending; one that takes a part of a "
        "GB200 node's fails; and the node's own device directory hides what the device plugin hands out "
        "(fi_info ends with -61)."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html; ai-dynamo/dynamo "
        "release notes of 1.3 and 1.4 (GB200); aws-samples/aws-do-eks#63"
    ),
    lines=("Dynamo 1.2 to 1.4",),
    fix=(
        "Ask for the node's interfaces divided by its GPUs, times the pod's GPUs; on GB200 for all four; and "
        "mount no /dev/infiniband."
    ),
    check=_check,
)
