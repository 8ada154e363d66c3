"""Workers: whatever in a graph starts an engine or asks for GPUs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.start_script import DYNAMO_FRONTEND, ENGINES, StartCommand, start_commands
from rules.reading.commands.words import Word
from rules.reading.once import once_per_graph
from rules.reading.pods.containers import read_environment
from rules.reading.pods.pods import PodTemplate, Unreadable, read_pods
from rules.reading.shapes import (
    Undecided,
    field,
    mappings_at,
    texts_at,
    whole_number,
    whole_number_at,
)

GPU_RESOURCE = "nvidia.com/gpu"


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """One service of a graph, or one container of a plain workload."""

    template: PodTemplate
    name: str
    gpus_per_pod: int
    pods_per_worker: int
    """More than one where the worker spans nodes."""
    environment: Mapping[str, Word]
    commands: tuple[StartCommand, ...]
    """The engines that it starts; none where its image's own command does, or something unknown."""
    container: Mapping[str, Value]

    @property
    def resource(self) -> Resource:
        """The graph or the workload."""
        return self.template.resource

    @property
    def pod(self) -> Mapping[str, Value]:
        """The spec of its pods."""
        return self.template.spec

    @property
    def described_by(self) -> Mapping[str, Value]:
        """The service, the component or the workload's spec: where its replicas stand."""
        return self.template.described_by


@once_per_graph
def read_workers(graph: ResourceGraph) -> Sequence[Worker | Unreadable]:
    """All workers, in the order of the graph."""
    return tuple(_read_workers(graph))


def environment_lists(
    template: PodTemplate, container: Mapping[str, Value]
) -> tuple[Sequence[Mapping[str, Value]], ...]:
    """The `env` lists that act on a container, each overriding the one before."""
    # The operator lets a service override the graph, and the main container the service.
    own = mappings_at(container, "env")
    match template.shape:
        case "service":
            return (mappings_at(template.graph_spec, "envs"), mappings_at(template.described_by, "envs"), own)
        case "component":
            return (mappings_at(template.graph_spec, "env"), own)
        case "workload":
            return (own,)


def _read_workers(graph: ResourceGraph) -> Iterator[Worker | Unreadable]:
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            yield template
            continue
        # The operator runs the main container of a service; the others stand beside it.
        containers = template.containers if template.shape == "workload" else template.containers[:1]
        for container in containers:
            name = _name(template, container)
            try:
                worker = _worker(graph, template, container, name)
            except Undecided as reason:
                if _may_be_worker(template, container):
                    yield Unreadable(template.resource, name, str(reason))
                continue
            if worker is not None:
                yield worker


def _may_be_worker(template: PodTemplate, container: Mapping[str, Value]) -> bool:
    """Whether a container that cannot be read asks for GPUs or names an engine, as far as can be seen."""
    try:
        words = [*texts_at(container, "command"), *texts_at(container, "args")]
        return bool(
            None in words
            or _service_gpus(template, container)
            or any(name in word for word in words if word is not None for name in ENGINES)
        )
    except Undecided:
        return True


def _name(template: PodTemplate, container: Mapping[str, Value]) -> str:
    own = container.get("name") if template.shape == "workload" else None
    return own if isinstance(own, str) else template.name


def _worker(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value], name: str
) -> Worker | None:
    environment = read_environment(graph, template.resource, environment_lists(template, container))
    command = texts_at(container, "command")
    arguments = texts_at(container, "args")
    gpus = _service_gpus(template, container)
    started = start_commands(command, arguments, environment)
    commands = tuple(command for command in started if command.engine != DYNAMO_FRONTEND)
    if not gpus and not commands:
        return None
    return Worker(
        template=template,
        name=name,
        gpus_per_pod=gpus,
        pods_per_worker=template.pods_per_replica,
        environment=environment,
        commands=commands,
        container=container,
    )


def _service_gpus(template: PodTemplate, container: Mapping[str, Value]) -> int:
    if template.shape == "service":
        service = template.described_by
        for kind in ("limits", "requests"):
            amount = whole_number_at(service, "resources", kind, "gpu")
            if amount is not None:
                return amount
            custom = field(service, "resources", kind, "custom", GPU_RESOURCE)
            if custom is not None:
                return whole_number(custom, f"resources.{kind}.custom.{GPU_RESOURCE}")
    for kind in ("limits", "requests"):
        amount = whole_number_at(container, "resources", kind, GPU_RESOURCE)
        if amount is not None:
            return amount
    return 0
