"""UCX uses NVLink between nodes exactly where the KV cache takes it."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.variables import variable
from rules.reading.kv_transport.kv_hops import KvHop, check_hops, chosen_transport
from rules.reading.kv_transport.ucx import NVLINK_BETWEEN_NODES, OFF, ON, read_ucx_transports
from rules.reading.nodes.fabric import nodes_without_fabric
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    for ways in hop.ways:
        yield from _check_worker(graph, hop, ways.worker)


def _check_worker(graph: ResourceGraph, hop: KvHop, worker: Worker) -> Iterator[Observation]:
    value = variable(worker, NVLINK_BETWEEN_NODES)
    if value is None:
        return
    set_to = f"{NVLINK_BETWEEN_NODES}={value}"
    if hop.only("mnnvl") and value.lower() in OFF:
        yield failed(
            worker.resource,
            worker.name,
            f"has {set_to}, and NVLink between nodes is the only way that its KV cache has but for TCP",
        )
    if (
        value.lower() in ON
        and _takes_ucx_elsewhere(graph, hop)
        # A list that leaves CUDA IPC out leaves the switch without anything to switch.
        and read_ucx_transports(worker).allows("mnnvl")
        and not nodes_without_fabric(graph, worker)
    ):
        yield failed(
            worker.resource,
            worker.name,
            f"has {set_to} on nodes whose NVLink leads to others, but prefill and decode do not both claim a "
            f"compute domain's channel ({hop.group.subject}): UCX imports memory handles that it cannot open",
        )


def _takes_ucx_elsewhere(graph: ResourceGraph, hop: KvHop) -> bool:
    """Whether UCX carries the cache over a network; over EFA libfabric does."""
    if hop.common:
        return "mnnvl" not in hop.common and bool(hop.common & {"rdma", "tcp"})
    chosen = chosen_transport(graph, hop.group.resource)
    return chosen is not None and chosen.name == "tcp"


RULE = Rule(
    id="nvlink-setting-fits-transport",
    title="UCX uses NVLink between nodes exactly where the KV cache takes it",
    severity=Severity.MANDATORY,
    reason=(
        "Switched off, the cache of a compute domain's workers goes over TCP. Forced between workers that "
        "share no domain, the import fails (cuMemImportFromShareableHandle), and answers come back empty."
    ),
    source=(
        "ai-dynamo/dynamo#10202 (GB200, RoCE); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py; openucx/ucx v1.20 (default: try)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "UCX 1.20"),
    fix=(
        "UCX_CUDA_IPC_ENABLE_MNNVL: y where prefill and decode share a compute domain, n on GB200 where they "
        "do not."
    ),
    check=_check,
)
