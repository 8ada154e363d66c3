"""A pod has its GPUs' share of the node's EFA interfaces."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.nodes.network_devices import EFA_RESOURCE, efa_interfaces
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    if "efa" in hop.common:
        for ways in hop.ways:
            yield from _check_worker(graph, ways.worker)


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    asked = efa_interfaces(worker)
    if not asked:
        return
    node = read_placement(graph, worker).instance_type
    if node.pod_takes_every_efa_interface or not 1 <= worker.gpus_per_pod <= node.gpus:
        return
    share = node.efa_interfaces_per_pod(worker.gpus_per_pod)
    if asked >= share:
        return
    each = node.network.efa_gbit_per_second / node.efa_interfaces
    yield failed(
        worker.resource,
        worker.name,
        f"asks for {asked} {EFA_RESOURCE} beside {worker.gpus_per_pod} GPUs, whose share of a {node.name} is "
        f"{share}: its KV cache has {asked * each:,.0f} of {share * each:,.0f} Gbit/s",
    )


RULE = Rule(
    id="kv-transport-bandwidth",
    title="A pod has its GPUs' share of the node's EFA interfaces",
    severity=Severity.ADVISORY,
    reason="A node's EFA bandwidth is divided over its interfaces; a pod uses what it asks for.",
    source=(
        "ai-dynamo/dynamo examples/deployments/EKS/manifests/vllm/v1beta1 at 4a28569 (four per GPU on p5); "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
    ),
    lines=("Dynamo 1.3",),
    fix="Ask for the node's interfaces divided by its GPUs, times the pod's GPUs.",
    check=_check,
)
