"""Workers, which start an engine or ask for GPUs, and the frontends that choose among them."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from engines.command_line import Count, Word, variable_in
from hardware import GPU_RESOURCE
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import (
    DYNAMO_FRONTEND,
    ENGINES,
    TRTLLM_SERVE,
    VLLM_SERVE,
    StartCommand,
    command_line,
    start_commands,
)
from rules.reading.pods.containers import is_privileged, read_environment
from rules.reading.pods.pods import (
    FRONTEND_PORT_FLAG,
    FRONTEND_PORT_VARIABLE,
    PodTemplate,
    Unreadable,
    read_pods,
    readable,
)
from rules.reading.shapes import (
    Undecided,
    attempted,
    indexed,
    known,
    mappings_at,
    memoized_all,
    whole_number,
    whole_number_at,
)

FRONTEND_TYPE = "frontend"
_SERVERS = (VLLM_SERVE, TRTLLM_SERVE)
_PORT_FLAG = "--port"
_SERVER_PORT = 8000
"""vllm 0.20.1 vllm/entrypoints/openai/cli_args.py; NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at
05ebebb."""


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """One service of a graph, or one container of a plain workload; one engine where a container starts
    several and says which GPUs each has. A frontend is one without GPUs."""

    template: PodTemplate
    name: str
    gpus_per_pod: int
    """Of the engine alone, where its container starts several."""
    pods_per_worker: int
    """More than one where the worker spans nodes."""
    environment: Mapping[str, Word]
    commands: tuple[StartCommand, ...]
    """Commands of the engines or the frontend that it starts; empty where the image's own command or an
    unknown one does."""
    container: Mapping[str, Value]
    container_gpus: int
    """GPUs that the container asks for."""

    @property
    def resource(self) -> Resource:
        """The graph or the workload."""
        return self.template.resource

    @property
    def shown_gpus(self) -> Sequence[str]:
        """What CUDA shows its engine, its own GPUs first; empty where nobody says."""
        return self.commands[0].shown_gpus if self.commands else ()

    @property
    def visible_gpus(self) -> Sequence[str]:
        """Those that CUDA finds: none from the first number on that the container, counted from 0, lacks."""
        count = self.container_gpus
        if not count or is_privileged(self.container):
            return self.shown_gpus
        return list(takewhile(lambda gpu: not gpu.isdecimal() or int(gpu) < count, self.shown_gpus))

    def starts(self, engines: Container[str]) -> bool:
        """Whether the worker starts one of these modules or programs."""
        return any(command.engine in engines for command in self.commands)

    def variable(self, name: str) -> str | None:
        """The value of a variable as its engine sees it; None where nobody sets it."""
        # What a start script exports counts as well, and more.
        return variable_in(self.commands[0].environment if self.commands else self.environment, name)


@memoized_all
def read_workers(graph: ResourceGraph) -> Iterator[Worker | Unreadable]:
    """All workers, in the order of the graph."""
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            yield template
            continue
        for container in (*template.serving_containers, *_sidecars(template)):
            own = container.get("name") if template.shape == "workload" else None
            name = own if isinstance(own, str) else template.name
            found = attempted(_workers, graph, template, container, name)
            if not isinstance(found, Undecided):
                yield from found
            elif _may_be_worker(template, container):
                yield Unreadable(template.resource, name, str(found))


def _sidecars(template: PodTemplate) -> Sequence[Mapping[str, Value]]:
    """Init containers that run as long as the pod does, one of which may be the engine."""
    # Rules about all containers say where they cannot be read.
    starts = known(mappings_at, template.spec, "initContainers") or ()
    return [container for container in starts if container.get("restartPolicy") == "Always"]


workers_of_pods = indexed(lambda graph: readable(read_workers(graph)), lambda each: each.template)
"""Returns template -> its workers that can be read."""
workers_by_resource = indexed(read_workers, lambda each: each.resource.urn)
"""Returns URN of a graph or workload -> its workers."""


def servers_of(graph: ResourceGraph, template: PodTemplate) -> Sequence[Worker]:
    """Containers of a workload that start one server of an engine, to which no operator gives a port."""
    workers = workers_of_pods(graph).get(template, ()) if template.shape == "workload" else ()
    return [worker for worker in workers if len(worker.commands) == 1 and worker.starts(_SERVERS)]


def server_port(server: Worker) -> Count:
    """The port at which a frontend or an engine's own server answers HTTP.

    Raises:
        Undecided: the port is not written as a number.
    """
    command = server.commands[0]
    is_frontend = command.engine == DYNAMO_FRONTEND
    flag, variable = (FRONTEND_PORT_FLAG, FRONTEND_PORT_VARIABLE) if is_frontend else (_PORT_FLAG, "")
    given = command.given(flag, variable)
    if given is None:
        return Count(_SERVER_PORT, "its default")
    return Count(whole_number(given.value, given.source), given.source)


@memoized_all
def read_frontends(graph: ResourceGraph) -> Iterator[Worker]:
    """All frontends that can be read, in the order of the graph."""
    for template in readable(read_pods(graph)):
        for container in template.serving_containers:
            yield from known(_frontends_of, graph, template, container) or ()


frontends_of_pods = indexed(read_frontends, lambda each: each.template)
"""Returns each pod template that runs frontends, and these."""


def _may_be_worker(template: PodTemplate, container: Mapping[str, Value]) -> bool:
    """Whether a container that cannot be read asks for GPUs or names an engine, as far as can be seen."""
    try:
        words = command_line(container)
        return bool(
            None in words
            or _service_gpus(template, container)
            or any(name in word for word in words if word is not None for name in ENGINES)
        )
    except Undecided:
        return True


def _workers(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value], name: str
) -> Sequence[Worker]:
    environment = read_environment(graph, template, container)
    words = command_line(container)
    gpus = _service_gpus(template, container)
    started = start_commands(words, environment)
    commands = tuple(command for command in started if command.engine != DYNAMO_FRONTEND)
    if not gpus and not commands:
        return ()
    pods = template.pods_per_replica
    shares = _own_gpus(commands) if len(commands) > 1 else None
    if shares is None:
        return (Worker(template, name, gpus, pods, environment, commands, container, gpus),)
    return tuple(
        Worker(template, f"{name} engine {number}", own, pods, environment, (command,), container, gpus)
        for number, (command, own) in enumerate(zip(commands, shares, strict=True), start=1)
    )


def _own_gpus(commands: Sequence[StartCommand]) -> Sequence[int] | None:
    """How many GPUs each of the engines of one container has to itself; None where they do not say.

    An engine takes the first ones that CUDA shows it. Those after them belong to others, and are shown so
    that it can open their memory.
    """
    shown = [gpus for command in commands if (gpus := command.shown_gpus)]
    firsts = [gpus[0] for gpus in shown]
    if len(set(firsts)) < len(commands):
        return None
    others = (set(firsts) - {gpus[0]} for gpus in shown)
    return [
        next((index for index, gpu in enumerate(gpus) if gpu in taken), len(gpus))
        for gpus, taken in zip(shown, others, strict=True)
    ]


def _service_gpus(template: PodTemplate, container: Mapping[str, Value]) -> int:
    kinds = ("limits", "requests")
    places = [(container, kind, GPU_RESOURCE) for kind in kinds]
    if template.shape == "service" and container is template.main:
        service = template.described_by
        keys = (("gpu",), ("custom", GPU_RESOURCE))
        places = [*((service, kind, *key) for kind in kinds for key in keys), *places]
    amounts = (whole_number_at(parent, "resources", *path) for parent, *path in places)
    return next((amount for amount in amounts if amount is not None), 0)


def _frontends_of(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Sequence[Worker]:
    words = command_line(container)
    environment = read_environment(graph, template, container)
    started = [each for each in start_commands(words, environment) if each.engine == DYNAMO_FRONTEND]
    if not started and template.component_type == FRONTEND_TYPE and not words:
        # The operator's own command (ai-dynamo/dynamo deploy/operator component_frontend.go).
        started = [StartCommand(DYNAMO_FRONTEND, (), environment)]
    return [
        Worker(template, template.name, 0, 1, environment, (command,), container, 0) for command in started
    ]
