"""The KV cache's transport works on the nodes at all."""

from collections.abc import Iterator

from hardware import Standing
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.kv_hops import KvHop, check_hops
from rules.reading.kv_transport.kv_paths import best_path


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_hops(graph, lambda hop: _check_hop(graph, hop))


def _check_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    found = best_path(graph, hop)
    if found is None or found[0].standing is not Standing.IMPOSSIBLE:
        return
    path, worker = found
    ways = next(ways for ways in hop.ways if ways.worker is worker)
    yield failed(
        hop.group.resource,
        hop.group.name,
        f"moves its KV cache by {path.transport} ({ways.open[path.transport]} of {worker.name}), which "
        f"cannot work: {path.reason} ({path.source.text})",
    )


RULE = Rule(
    id="kv-transport-possible",
    title="The KV cache's transport works on the nodes at all",
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
    check=_check,
)
