"""Dynamo's frontends: the HTTP servers of graphs, and whatever else starts `dynamo.frontend`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.flags import Flags
from rules.reading.commands.start_script import DYNAMO_FRONTEND, StartCommand, start_commands
from rules.reading.once import once_per_graph
from rules.reading.pods.containers import read_environment
from rules.reading.pods.pods import PodTemplate, Unreadable, read_pods
from rules.reading.pods.workers import environment_lists
from rules.reading.shapes import Undecided, texts_at

FRONTEND_TYPE = "frontend"


@dataclass(frozen=True, slots=True, eq=False)
class Frontend:
    """One frontend and its command line."""

    template: PodTemplate
    container: Mapping[str, Value]
    command: StartCommand
    flags: Flags

    @property
    def resource(self) -> Resource:
        """The graph or the workload."""
        return self.template.resource

    @property
    def name(self) -> str:
        """Of the service, the component or the workload."""
        return self.template.name


@once_per_graph
def read_frontends(graph: ResourceGraph) -> Sequence[Frontend | Unreadable]:
    """All frontends, in the order of the graph."""
    return tuple(_read(graph))


def _read(graph: ResourceGraph) -> Iterator[Frontend | Unreadable]:
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            yield template
            continue
        # The operator runs the main container of a service; the others stand beside it.
        containers = template.containers if template.shape == "workload" else (template.main,)
        for container in containers:
            try:
                yield from _of_container(graph, template, container)
            except Undecided as reason:
                # An unreadable script of something else is no concern of a frontend's rules.
                if template.component_type == FRONTEND_TYPE or _mentions_frontend(container):
                    yield Unreadable(template.resource, template.name, str(reason))


def _of_container(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Iterator[Frontend]:
    command, arguments = texts_at(container, "command"), texts_at(container, "args")
    environment = read_environment(graph, template.resource, environment_lists(template, container))
    started = [
        item for item in start_commands(command, arguments, environment) if item.engine == DYNAMO_FRONTEND
    ]
    if not started and template.component_type == FRONTEND_TYPE and not command and not arguments:
        # The operator's own command (ai-dynamo/dynamo deploy/operator component_frontend.go).
        started = [StartCommand(DYNAMO_FRONTEND, (), environment)]
    for item in started:
        yield Frontend(template, container, item, item.flags)


def _mentions_frontend(container: Mapping[str, Value]) -> bool:
    return DYNAMO_FRONTEND in str(container.get("command")) + str(container.get("args"))
