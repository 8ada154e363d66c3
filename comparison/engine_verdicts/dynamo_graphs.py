"""DynamoGraphDeployments: in what a change of one differs from that of any other object.

Sources: facts/previews.md §3d, facts/kv-transport.md §7, crds/dgd-admission.json (rules of an update).
"""

from collections.abc import Mapping

from comparison.changes import Change, Effect, FieldChange
from comparison.nested_values import is_mapping
from comparison.secret_marks import inputs_of
from resource_graph import Resource
from resource_graph.urns import own_type
from rules.reading.pods.pods import GRAPH_KIND
from stacks.updates.comparable_graph import Graph, read_graph

_GROUP_PREFIX = "kubernetes:nvidia.com/"
_OWN_COMPONENT = "dynamo-stack:components:DynamoGraph"
_SERVICES = (("spec", "components"), ("spec", "services"))
_STEPS_OF_SERVICE = 3
_BECOMES = {Change.ADDED: "comes", Change.REMOVED: "goes", Change.CHANGED: "becomes another"}


def is_graph(resource: Resource) -> bool:
    """Return whether it is a Dynamo graph, of either version of its API."""
    return resource.kind == GRAPH_KIND and resource.type.startswith(_GROUP_PREFIX)


def is_made_again(graph: Resource) -> bool:
    """Whether the program makes the graph again where the webhook or the API server would refuse its change.

    A component of this project does (stacks/updates/beside_what_runs.py).
    """
    return graph.parent is not None and own_type(graph.parent) == _OWN_COMPONENT


def in_common_words(graph: Resource) -> Mapping[str, object]:
    """Return a graph as the newer version of its API has it, to compare graphs of two versions."""
    components = {
        name: {**service.template, "replicas": service.replicas}
        for name, service in _read(graph).services.items()
    }
    return {"apiVersion": graph.api_version, "spec": {"components": components}}


def another_service(change: FieldChange) -> str | None:
    """Return what becomes of a whole service; None for a change within one, or elsewhere."""
    if change.path[:2] not in _SERVICES or len(change.path) != _STEPS_OF_SERVICE:
        return None
    return f"Service {change.path[2]} {_BECOMES[change.change]}"


def restarts_a_worker(change: FieldChange, graph: Resource) -> bool:
    """Return whether the change is of a worker's pods: the operator rolls all workers together."""
    if change.effect is not Effect.ROLLS_PODS or change.path[:2] not in _SERVICES:
        return False
    services = _read(graph).services
    return change.path[2] in services and services[str(change.path[2])].is_worker


def _read(graph: Resource) -> Graph:
    spec = inputs_of(graph).get("spec")
    return read_graph(graph.name, str(graph.namespace), spec if is_mapping(spec) else {})
