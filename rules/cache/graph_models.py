"""The workers of one graph, as users of a model."""

from collections.abc import Mapping, Sequence

from resource_graph import Resource, ResourceGraph
from rules.reading.once import once_per_graph
from rules.reading.storage.model_users import ModelUser, UnreadableUser, read_model_users


def graph_workers(graph: ResourceGraph, resource: Resource) -> Sequence[ModelUser]:
    """All workers of the graph that can be read."""
    return _by_graph(graph).get(resource.urn, ())


@once_per_graph
def _by_graph(graph: ResourceGraph) -> Mapping[str, Sequence[ModelUser]]:
    workers: dict[str, list[ModelUser]] = {}
    for user in read_model_users(graph):
        if not isinstance(user, UnreadableUser) and user.kind == "worker":
            workers.setdefault(user.resource.urn, []).append(user)
    return workers
