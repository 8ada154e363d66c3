"""The containers that serve: frontends and workers."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.reading.once import once_per_graph
from rules.reading.pods.frontends import FRONTEND_TYPE, read_frontends
from rules.reading.pods.pods import PodTemplate, Unreadable
from rules.reading.pods.workers import read_workers

Container = Mapping[str, Value]


def serving_containers(graph: ResourceGraph, template: PodTemplate) -> Iterator[tuple[str, Container]]:
    """Name and container of every frontend and worker that the template's pods run."""
    if template.component_type == FRONTEND_TYPE:
        yield template.name, template.main
        return
    yield from _serving(graph).get(template, ())


@once_per_graph
def _serving(graph: ResourceGraph) -> Mapping[PodTemplate, list[tuple[str, Container]]]:
    found: dict[PodTemplate, list[tuple[str, Container]]] = {}
    for each in (*read_workers(graph), *read_frontends(graph)):
        if isinstance(each, Unreadable):
            continue
        containers = found.setdefault(each.template, [])
        # One container may start both.
        if all(container is not each.container for _, container in containers):
            containers.append((each.name, each.container))
    return found
