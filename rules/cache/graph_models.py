"""The workers of one graph, as users of a model."""

from collections.abc import Mapping, Sequence

from resource_graph import Resource, ResourceGraph
from rules.reading.engines.runtime_version import by_line
from rules.reading.once import once_per_graph
from rules.reading.storage.model_users import ModelUser, UnreadableUser, read_model_users

_SWITCH = "DYN_SELF_HOST_METADATA"
_OFF = frozenset({"0", "false", "no", "off"})
_SINCE = (1, 2)
_BY_DEFAULT_SINCE = (1, 4)


def graph_workers(graph: ResourceGraph, resource: Resource) -> Sequence[ModelUser]:
    """All workers of the graph that can be read."""
    return _by_graph(graph).get(resource.urn, ())


def workers_host_metadata(workers: Sequence[ModelUser]) -> bool:
    """Whether the frontend gets configuration and tokenizer from the workers.

    They serve both at their system port, by default since 1.4 (ai-dynamo/dynamo#11417).

    Raises:
        Undecided: it depends on a release that an image does not name.
    """
    return bool(workers) and all(_hosts_metadata(worker) for worker in workers)


def _hosts_metadata(user: ModelUser) -> bool:
    switch = user.variable(_SWITCH)
    if switch is not None and switch.lower() in _OFF:
        return False
    since = _BY_DEFAULT_SINCE if switch is None else _SINCE
    return by_line(lambda line: line >= since, user.container, user.template.described_by)


@once_per_graph
def _by_graph(graph: ResourceGraph) -> Mapping[str, Sequence[ModelUser]]:
    workers: dict[str, list[ModelUser]] = {}
    for user in read_model_users(graph):
        if not isinstance(user, UnreadableUser) and user.kind == "worker":
            workers.setdefault(user.resource.urn, []).append(user)
    return workers
