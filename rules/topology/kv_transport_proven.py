"""A KV transport that is not proven on its hardware says so before anybody deploys it."""

from collections.abc import Iterator

from hardware import Standing
from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.kv_transport.kv_cost import cost_over_tcp
from rules.reading.kv_transport.kv_hops import KvHop, check_hops, component_that_chose
from rules.reading.kv_transport.kv_paths import best_path
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.shapes import Undecided, mapping_at, text_at

_INPUT = "kvTransport"
_DOCUMENTED = "documented"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        component = component_that_chose(graph, resource)
        if component is None:
            continue
        try:
            yield from _check_component(resource, component)
        except Undecided as reason:
            yield undecided(resource, resource.name, str(reason))
    yield from check_hops(graph, lambda hop: _check_manifest(graph, hop))


def _check_component(resource: Resource, component: Resource) -> Iterator[Observation]:
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
    yield failed(
        resource,
        resource.name,
        f"moves its KV cache by {name}, which is {standing}: {reason}; ceiling: {ceiling}",
    )


def _check_manifest(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """What the manifest has, where no component says what it is."""
    resource = hop.group.resource
    if component_that_chose(graph, resource) is not None:
        return
    if hop.only("tcp"):
        source = hop.prefill[0].open["tcp"]
        cost = cost_over_tcp(graph, hop.prefill[0].worker)
        yield failed(resource, hop.group.name, f"moves its KV cache by tcp, as typed ({source}): {cost}")
        return
    found = best_path(graph, hop)
    if found is None or found[0].standing is not Standing.UNPROVEN:
        return
    path, worker = found
    ways = next(ways for ways in hop.ways if ways.worker is worker)
    yield failed(
        resource,
        hop.group.name,
        f"moves its KV cache by {path.transport} ({ways.open[path.transport]} of {worker.name}), which is "
        f"{path.standing.value}: {path.reason} ({path.source.text})",
    )


RULE = Rule(
    id="kv-transport-proven",
    title="The KV cache travels by a way that is documented to work on the hardware",
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
    check=_check,
)
