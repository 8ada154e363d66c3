"""A pool of several NVLink domains does not part workers that share a compute domain."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.pods_together import CLIQUE, not_bound


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    if "mnnvl" not in hop.common:
        return
    for worker in not_bound(hop.group.workers, CLIQUE):
        placement = read_placement(graph, worker)
        node = placement.instance_type
        largest = max(placement.nvlink_domains)
        gpus = placement.nodes * node.gpus
        if node.nvlink_crosses_nodes and gpus > largest:
            yield failed(
                worker.resource,
                worker.name,
                f"moves its KV cache over NVLink between nodes and is not bound to one {CLIQUE}, but pool "
                f"{placement.pool} has {gpus} GPUs ({placement.nodes} nodes of {node.name}) in NVLink "
                f"domains of at most {largest}",
            )


RULE = Rule(
    id="kv-transport-in-one-clique",
    title="A pool of several NVLink domains does not part workers that share a compute domain",
    severity=Severity.MANDATORY,
    reason=(
        "NVLink ends at the clique, and a ComputeDomain places no pod: prefill and decode in two cliques "
        "have no fabric memory in common, and their requests hang or answer nothing."
    ),
    source=(
        "kubernetes-sigs/dra-driver-nvidia-gpu#804; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py (workers in different NVLink domains)"
    ),
    lines=("NVIDIA DRA driver of 2026-08", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Give prefill and decode required podAffinity with topologyKey nvidia.com/gpu.clique to each other's "
        "pods."
    ),
    check=_check,
)
