"""DynamoGraphDeployments: in what a change of one differs from that of any other object.

Sources: facts/previews.md §3d, facts/kv-transport.md §7, crds/dgd-admission.json (rules of an update).
"""

from comparison.changes import Change, Effect, FieldChange
from resource_graph import Resource
from resource_graph.urns import own_type
from rules.reading.pods.pods import GRAPH_KIND, WORKER_TYPES
from stacks.updates.nested_values import mappings_in

_GROUP_PREFIX = "kubernetes:nvidia.com/"
_OWN_COMPONENT = "dynamo-stack:components:DynamoGraph"
_SERVICES = ("spec", "components")
_STEPS_OF_SERVICE = 3
_BECOMES = {Change.ADDED: "comes", Change.REMOVED: "goes", Change.CHANGED: "becomes another"}


def _is_graph(resource: Resource) -> bool:
    """Return whether it is a Dynamo graph."""
    return resource.kind == GRAPH_KIND and resource.type.startswith(_GROUP_PREFIX)


def is_made_again(graph: Resource) -> bool:
    """Whether the program makes the graph again where the webhook or the API server would refuse its change.

    A component of this project does (stacks/updates/beside_what_runs.py).
    """
    return graph.parent is not None and own_type(graph.parent) == _OWN_COMPONENT


def another_service(change: FieldChange, resource: Resource) -> str | None:
    """Return what becomes of a whole service of a graph; None for a change within one, or elsewhere."""
    if not _is_graph(resource) or change.path[:2] != _SERVICES or len(change.path) != _STEPS_OF_SERVICE:
        return None
    return f"Service {change.path[2]} {_BECOMES[change.change]}"


def restarts_a_worker(change: FieldChange, resource: Resource) -> bool:
    """Return whether the change is of a graph's worker: the operator rolls all workers together."""
    is_of_a_service = _is_graph(resource) and change.path[:2] == _SERVICES
    if change.effect is not Effect.ROLLS_PODS or not is_of_a_service:
        return False
    components = mappings_in(resource.inputs, *_SERVICES)
    workers = {each.get("name") for each in components if each.get("type") in WORKER_TYPES}
    return not workers.isdisjoint(change.path[2:_STEPS_OF_SERVICE])
