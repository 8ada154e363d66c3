"""Prefill and decode pods run where their transport reaches from one to the other."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.pods_together import CLIQUE, HOSTNAME, ZONE, kept_apart, not_bound
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    messages: list[str] = []
    if hop.only("efa"):
        messages += _efa(graph, hop)
    if "mnnvl" in hop.common:
        loose = not_bound(hop.group.workers, CLIQUE)
        if loose:
            messages.append(
                f"moves its KV cache over NVLink between nodes, but nothing keeps {_names(loose)} in the "
                f"{CLIQUE} of the others; a compute domain places no pod"
            )
    for message in messages:
        yield failed(hop.group.resource, hop.group.name, message)


def _efa(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
    loose = not_bound(hop.group.workers, ZONE)
    if loose:
        yield (
            f"moves its KV cache by EFA, which never leaves an availability zone, but nothing keeps "
            f"{_names(loose)} in the {ZONE} of the others"
        )
    for sender in hop.group.prefill:
        for receiver in hop.group.decode:
            if not kept_apart(sender, receiver, HOSTNAME) and _may_share_a_node(graph, sender, receiver):
                yield (
                    f"moves its KV cache by EFA, but nothing keeps {sender.name} and {receiver.name} on "
                    "different nodes, and between two pods of one node libfabric was seen to retry for ever"
                )
                return


def _may_share_a_node(graph: ResourceGraph, one: Worker, other: Worker) -> bool:
    try:
        first, second = read_placement(graph, one), read_placement(graph, other)
    except Undecided:
        return True
    if first.pool != second.pool or first.instance_type.pod_takes_every_efa_interface:
        return False
    return one.gpus_per_pod + other.gpus_per_pod <= first.instance_type.gpus


def _names(workers: Sequence[Worker]) -> str:
    return " and ".join(worker.name for worker in workers)


RULE = Rule(
    id="kv-transport-placement",
    title="Prefill and decode pods run where their transport reaches from one to the other",
    severity=Severity.ADVISORY,
    reason=(
        "EFA ends at the availability zone, and inside one node it was seen to hang; NVLink ends at the "
        "clique. Whether pods meet such a border depends on the nodes that are free."
    ),
    source=(
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html; ai-dynamo/dynamo#7764; "
        "ofiwg/libfabric#12328; kubernetes-sigs/dra-driver-nvidia-gpu#804"
    ),
    lines=("Dynamo 1.2 to 1.5", "NVIDIA DRA driver of 2026-08"),
    fix=(
        "EFA: required podAffinity on topology.kubernetes.io/zone, and required podAntiAffinity of prefill "
        "and decode on kubernetes.io/hostname. Compute domain: required podAffinity on nvidia.com/gpu.clique."
    ),
    check=_check,
)
