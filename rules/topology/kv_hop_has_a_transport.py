"""What carries KV cache from prefill to decode pods is there, or a person chose plain TCP."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_cost import cost_over_tcp
from rules.reading.kv_transport.kv_hops import KvHop, check_hops, chosen_transport
from rules.reading.kv_transport.kv_ways import Ways
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    unconnected = hop.unconnected()
    if unconnected is None:
        return
    resource = hop.group.resource
    chosen = chosen_transport(graph, resource)
    if chosen is not None and chosen.name == "tcp" and chosen.typed:
        return
    unknown = next((ways.unknown for ways in hop.ways if ways.unknown is not None), None)
    if unknown is not None:
        raise Undecided(unknown)
    sender, receiver = unconnected
    yield failed(
        resource,
        hop.group.name,
        f"hands KV cache from {sender.worker.name} to {receiver.worker.name} in other pods with "
        f"{_lack(sender, receiver)}, and nobody typed TCP, to which the engines fall back in silence: "
        f"{cost_over_tcp(graph, sender.worker)}",
    )


def _lack(sender: Ways, receiver: Ways) -> str:
    if sender.open and receiver.open:
        return f"no transport in common: {sender.described}; {receiver.described}"
    return f"no transport: {sender.described}; {receiver.described}"


RULE = Rule(
    id="kv-hop-has-a-transport",
    title="What carries KV cache from prefill to decode pods is there, or a person chose plain TCP",
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
    check=_check,
)
