"""What can be said of the stack's graphs, also while their operator is away."""

from components.dynamo_objects import GRAPHS, stored_name, stored_version, why_not_ready
from operations.recovery.cluster import ClusterCommands
from operations.recovery.in_cluster import operator_answers
from operations.recovery.remains import StackState
from resource_graph.urns import urn_name

_TYPE = "kubernetes:nvidia.com/{version}:DynamoGraphDeployment"
_KIND = ":DynamoGraphDeployment::"


def unreadable_graphs(state: StackState, cluster: ClusterCommands) -> tuple[str, ...]:
    """Return URNs of graphs that Pulumi cannot read: nobody converts them to the program's version."""
    urns = [urn for urn, _ in state.recorded if _KIND in urn]
    if not urns or operator_answers(cluster):
        return ()
    stored = _TYPE.format(version=stored_version(cluster.look, GRAPHS))
    return tuple(urn for urn in urns if stored not in urn)


def unready_graphs(state: StackState, cluster: ClusterCommands) -> tuple[str, ...]:
    """Return each graph of the stack that is not ready, in its operator's words."""
    found: list[str] = []
    for identifier in sorted(identifier for urn, identifier in state.recorded if _KIND in urn):
        namespace, _, name = identifier.rpartition("/")
        live = cluster.look(stored_name(cluster.look, GRAPHS), name, "--namespace", namespace)
        reason = why_not_ready(live) if live else None
        if reason:
            found.append(f"graph {identifier}: {reason}")
    return tuple(found)


def not_compared(urn: str) -> str:
    """Return the words about a graph that nobody could compare."""
    name = urn_name(urn)
    return f"graph {name} was not compared: the operator, which converts it, is away (runbook: operator-gone)"
