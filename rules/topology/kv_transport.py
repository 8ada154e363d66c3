"""Transport of the KV cache, and the nodes between which it travels."""

from collections.abc import Iterator, Sequence

from hardware import Standing
from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Severity, failed
from rules.reading.disaggregation import KvHop, best_path, chosen_transport, component_that_chose
from rules.reading.kv_cache import cost_over_tcp
from rules.reading.kv_ways import Ways
from rules.reading.placements import CLIQUE, HOSTNAME, ZONE, kept_apart, not_bound, read_placement
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, known, mapping_at, text_at
from rules.reading.typed_settings import KV_TRANSPORT
from rules.rule import graph_rule, rule
from rules.subjects import KV_HOPS, kubernetes_objects

_INPUT = "kvTransport"
_DOCUMENTED = "documented"


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
    """What carries KV cache from prefill to decode pods is there, or a person chose plain TCP."""
    unconnected = hop.unconnected()
    if unconnected is None:
        return
    chosen = chosen_transport(graph, hop.group.resource)
    if chosen is not None and chosen.name == "tcp" and chosen.explicit:
        return
    unknown = next((ways.unknown for ways in hop.ways if ways.unknown is not None), None)
    if unknown is not None:
        raise Undecided(unknown)
    sender, receiver = unconnected
    yield (
        f"hands KV cache from {sender.worker.name} to {receiver.worker.name} in other pods with "
        f"{_lack(sender, receiver)}, and nobody typed TCP, to which the engines fall back in silence: "
        f"{cost_over_tcp(graph, sender.worker)}"
    )


def _lack(sender: Ways, receiver: Ways) -> str:
    if sender.open and receiver.open:
        return f"no transport in common: {sender.described}; {receiver.described}"
    return f"no transport: {sender.described}; {receiver.described}"


@rule(
    KV_HOPS,
    severity=Severity.MANDATORY,
    reason=(
        "NVLink between pods needs fabric memory, which GB200 has and x86 has not; EFA needs an interface "
        "that reaches GPU memory, and on GB200 a runtime of 1.3.1 or later. Otherwise the engines fall back "
        "to TCP, or answer nothing."
    ),
    source=(
        "openucx/ucx#11514; ai-dynamo/dynamo release notes of 1.2, 1.3 and 1.4 (EFA on GB200); "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
    ),
    lines=("Dynamo 1.2 to 1.4", "UCX 1.20"),
    fix="Take the transport that the nodes have, a later runtime for EFA on GB200, or serve aggregated.",
)
def kv_transport_possible(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
    """The KV cache's transport works on the nodes at all."""
    return _no_better_than(graph, hop, Standing.IMPOSSIBLE, "cannot work")


def _no_better_than(graph: ResourceGraph, hop: KvHop, standing: Standing, verdict: str) -> Iterator[str]:
    """Reports the best transport of all workers where it has that standing."""
    found = best_path(graph, hop)
    if found is None or found[0].standing is not standing:
        return
    path, worker = found
    ways = next(ways for ways in hop.ways if ways.worker is worker)
    yield (
        f"moves its KV cache by {path.transport} ({ways.open[path.transport]} of {worker.name}), which "
        f"{verdict}: {path.reason} ({path.source.text})"
    )


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Engines fall back to TCP without a word, and a path that fails can still leave every pod Ready and "
        "answer HTTP 200 with nothing in it."
    ),
    source="ai-dynamo/dynamo docs disagg-communication-guide.md at 3c42642; NVIDIA/TensorRT-LLM#16619",
    lines=("Dynamo 1.2 to 1.5", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Send real completions before anybody relies on it and watch the transport's counters, or serve "
        "aggregated, which moves no cache."
    ),
)
def kv_transport_proven(graph: ResourceGraph) -> Iterator[Observation]:
    """The KV cache travels by a way that is documented to work on the hardware."""
    yield from kubernetes_objects(GRAPH_KIND).judge(graph, _of_component)
    yield from KV_HOPS.judge(graph, _of_manifest)


def _of_component(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    component = component_that_chose(graph, resource)
    if component is None:
        return
    transport = mapping_at(component.inputs, _INPUT)
    if not transport:
        return
    name = text_at(transport, "name")
    standing = text_at(transport, "standing")
    if name is None or standing is None:
        raise Undecided(f"{_INPUT} of {component.name} does not say how far its transport is proven")
    if standing == _DOCUMENTED:
        return
    reason = text_at(transport, "reason") or "no reason given"
    ceiling = text_at(transport, "ceiling") or "unknown"
    by = f"{name} ({KV_TRANSPORT})" if transport.get("typed") is True else name
    yield f"moves its KV cache by {by}, which is {standing}: {reason}; ceiling: {ceiling}"


def _of_manifest(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
    """Reports TCP or an unproven transport of a manifest, where no component chooses the transport."""
    if component_that_chose(graph, hop.group.resource) is not None:
        return
    if hop.only("tcp"):
        sender = hop.prefill[0]
        cost = cost_over_tcp(graph, sender.worker)
        yield f"moves its KV cache by tcp, as typed ({sender.open['tcp']}): {cost}"
    else:
        yield from _no_better_than(graph, hop, Standing.UNPROVEN, f"is {Standing.UNPROVEN.value}")


@rule(
    KV_HOPS,
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
)
def kv_transport_placement(graph: ResourceGraph, hop: KvHop) -> Sequence[str]:
    """Prefill and decode pods run where their transport reaches from one to the other."""
    messages = list(_beyond_efa(graph, hop)) if hop.only("efa") else []
    loose = not_bound(hop.group.workers, CLIQUE) if "mnnvl" in hop.common else ()
    if loose:
        messages.append(
            f"moves its KV cache over NVLink between nodes, but nothing keeps {_names(loose)} in the "
            f"{CLIQUE} of the others; a compute domain places no pod"
        )
    return messages


def _beyond_efa(graph: ResourceGraph, hop: KvHop) -> Iterator[str]:
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
    first, second = (known(read_placement, graph, worker) for worker in (one, other))
    if first is None or second is None:
        return True
    if first.name != second.name or first.instance_type.pod_takes_every_efa_interface:
        return False
    return one.gpus_per_pod + other.gpus_per_pod <= first.instance_type.gpus


def _names(workers: Sequence[Worker]) -> str:
    return " and ".join(worker.name for worker in workers)


@rule(
    KV_HOPS,
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
)
def kv_transport_in_one_clique(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """A pool of several NVLink domains does not part workers that share a compute domain."""
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
                f"{placement.name} has {gpus} GPUs ({placement.nodes} nodes of {node.name}) in NVLink "
                f"domains of at most {largest}",
            )
