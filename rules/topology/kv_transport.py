"""Transport of the KV cache, and the nodes between which it travels."""

from collections.abc import Iterator
from itertools import product

from hardware import Standing
from resource_graph import Resource, ResourceGraph
from rules.reading.disaggregation import KvHop, best_path, chosen_transport, component_that_chose
from rules.reading.engines.models import cost_over_tcp
from rules.reading.engines.settings import KV_TRANSPORT
from rules.reading.placements import CLIQUE, HOSTNAME, ZONE, kept_apart, not_bound, read_placement
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, known, text_at
from rules.rule import (
    KV_HOPS,
    Advice,
    Observation,
    Said,
    Severity,
    failed,
    graph_rule,
    kubernetes_objects,
    names,
    rule,
)


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason=(
        "Pods share no GPU memory over NVLink by themselves. Without an RDMA or EFA device, or a compute "
        "domain's channel on both sides, the engines take TCP and say nothing: every pod is Ready and each "
        "long prompt waits, about 98 s to the first token instead of 0.2 to 0.5 s by the publisher's guide."
    ),
    source=(
        "ai-dynamo/dynamo docs disagg-communication-guide.md at 3c42642, docs rdma-setup/overview.md at "
        "a580cdd; openucx/ucx#11514"
    ),
    lines=("Dynamo 1.2 to 1.5", "UCX 1.20"),
    fix=(
        "Give prefill and decode the same: rdma/* or vpc.amazonaws.com/efa in the limits, or on GB200 a "
        "compute domain's channel; or choose TCP yourself (serving.kvTransport: tcp in a stack; in a "
        "manifest the graph's annotation dynamo-stack/kv-transport: tcp, or UCX_TLS with tcp and nothing "
        "faster), or serve aggregated."
    ),
)
def kv_hop_has_a_transport(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
    """KV cache falls back to TCP, which nobody chose."""
    unconnected = hop.unconnected()
    if unconnected is None:
        return
    if hop.unknown is not None:
        raise Undecided(hop.unknown)
    sender, receiver = unconnected
    lack = "no transport in common" if sender.open and receiver.open else "no transport"
    yield (
        f"hands KV cache from {sender.worker.name} to {receiver.worker.name} in other pods with "
        f"{lack}: {sender.described}; {receiver.described}, and nobody typed TCP, to which the engines fall "
        f"back in silence: {cost_over_tcp(graph, sender.worker)}"
    )


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "NVLink between pods needs fabric memory, which GB200 has and x86 has not; EFA needs an interface "
        "that reaches GPU memory, and on GB200 a runtime of 1.3.1 or later. Otherwise the engines fall back "
        "to TCP without a word, or answer HTTP 200 with nothing in it. A way that nobody has shown to work "
        "can do the same while every pod is Ready (advice)."
    ),
    source=(
        "openucx/ucx#11514; ai-dynamo/dynamo release notes of 1.2, 1.3 and 1.4 (EFA on GB200), docs "
        "disagg-communication-guide.md at 3c42642; NVIDIA/TensorRT-LLM#16619"
    ),
    lines=("Dynamo 1.2 to 1.5", "TensorRT-LLM 1.3.0rc14", "UCX 1.20"),
    fix=(
        "Take the transport that the nodes have, or serve aggregated. Else send real completions and watch "
        "the transport's counters."
    ),
)
def kv_transport_proven(graph: ResourceGraph) -> Iterator[Observation]:
    """KV cache's way is impossible or unproven on the hardware."""
    yield from kubernetes_objects(GRAPH_KIND).judge(graph, _of_component)
    yield from KV_HOPS.judge(graph, _of_hop)


def _of_component(graph: ResourceGraph, resource: Resource) -> Iterator[Advice]:
    transport = chosen_transport(graph, resource)
    name, standing = text_at(transport, "name"), text_at(transport, "standing")
    if name is None or standing in {None, "documented"}:
        return
    reason, ceiling = text_at(transport, "reason"), text_at(transport, "ceiling")
    by = f"{name} ({KV_TRANSPORT})" if transport.get("typed") is True else name
    yield Advice(f"moves its KV cache by {by}, which is {standing}: {reason}; ceiling: {ceiling}")


def _of_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Said]:
    """Reports a way that cannot work; of a manifest, whose way nobody resolved, TCP and unproven ones too."""
    is_manifest = component_that_chose(graph, hop.group.resource) is None
    if is_manifest and hop.only("tcp"):
        sender = hop.ways[0]
        cost = cost_over_tcp(graph, sender.worker)
        yield Advice(f"moves its KV cache by tcp, as typed ({sender.open['tcp']}): {cost}")
        return
    found = best_path(graph, hop)
    if found is None or found[0].standing is Standing.DOCUMENTED:
        return
    path, worker = found
    is_impossible = path.standing is Standing.IMPOSSIBLE
    open_ways = next(ways for ways in hop.ways if ways.worker is worker).open
    verdict = "cannot work" if is_impossible else f"is {path.standing.value}"
    said = (
        f"moves its KV cache by {path.transport} ({open_ways[path.transport]} of {worker.name}), which "
        f"{verdict}: {path.reason} ({path.source.text})"
    )
    if is_impossible:
        yield said
    elif is_manifest:
        yield Advice(said)


@rule(
    KV_HOPS,
    severity=Severity.MANDATORY,
    reason=(
        "NVLink ends at the clique, and a ComputeDomain places no pod: prefill and decode in two cliques "
        "have no fabric memory in common, and their requests hang or answer nothing. Whether pods meet that "
        "border where one clique may do, or that of EFA at the availability zone, depends on the nodes that "
        "are free; inside one node EFA was seen to hang (both advice)."
    ),
    source=(
        "kubernetes-sigs/dra-driver-nvidia-gpu#804; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py (workers in different NVLink domains); "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html; ai-dynamo/dynamo#7764; "
        "ofiwg/libfabric#12328"
    ),
    lines=("Dynamo 1.2 to 1.5", "NVIDIA DRA driver of 2026-08", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Compute domain: required podAffinity of prefill and decode to each other's pods, with topologyKey "
        "nvidia.com/gpu.clique. EFA: the same on topology.kubernetes.io/zone, and required podAntiAffinity "
        "on kubernetes.io/hostname."
    ),
)
def kv_transport_placement(graph: ResourceGraph, hop: KvHop) -> Iterator[Said]:
    """Prefill and decode can land where their transport does not reach."""
    if hop.only("efa"):
        yield from map(Advice, _beyond_efa(graph, hop))
    loose = not_bound(hop.group.workers, CLIQUE) if "mnnvl" in hop.common else ()
    if loose:
        yield Advice(
            f"moves its KV cache over NVLink between nodes, but nothing keeps {names(loose)} in the "
            f"{CLIQUE} of the others; a compute domain places no pod"
        )
    for worker in loose:
        placement = read_placement(graph, worker)
        node, largest = placement.instance_type, max(placement.nvlink_domains)
        gpus = placement.nodes * node.gpus
        if node.nvlink_crosses_nodes and gpus > largest:
            yield failed(
                worker.resource,
                worker.name,
                f"moves its KV cache over NVLink between nodes and is not bound to one {CLIQUE}, but pool "
                f"{placement.name} has {gpus} GPUs ({placement.nodes} nodes of {node.name}) in NVLink "
                f"domains of at most {largest}",
            )


def _beyond_efa(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
    loose = not_bound(hop.group.workers, ZONE)
    if loose:
        yield (
            f"moves its KV cache by EFA, which never leaves an availability zone, but nothing keeps "
            f"{names(loose)} in the {ZONE} of the others"
        )
    for sender, receiver in product(hop.group.prefill, hop.group.decode):
        if not kept_apart(sender, receiver, HOSTNAME) and _may_share_a_node(graph, sender, receiver):
            yield (
                f"moves its KV cache by EFA, but nothing keeps {sender.name} and {receiver.name} on "
                "different nodes, and between two pods of one node libfabric was seen to retry for ever"
            )
            return


def _may_share_a_node(graph: ResourceGraph, one: Worker, other: Worker) -> bool:
    first, second = (known(read_placement, graph, worker) for worker in (one, other))
    if first is None or second is None:
        return True
    is_shared = first.name == second.name and not first.instance_type.pod_takes_every_efa_interface
    return is_shared and one.gpus_per_pod + other.gpus_per_pod <= first.instance_type.gpus
