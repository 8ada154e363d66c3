"""Workers, whatever starts an engine or asks for GPUs, and the frontends that choose among them."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import DYNAMO_FRONTEND, ENGINES, StartCommand, start_commands
from rules.reading.commands.words import Word, variable_in
from rules.reading.memoized import memoized
from rules.reading.pods.containers import read_environment
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods
from rules.reading.shapes import Undecided, field, texts_at, whole_number, whole_number_at

GPU_RESOURCE = "nvidia.com/gpu"
FRONTEND_TYPE = "frontend"
_MODE_FLAG = "--router-mode"
_MODE_VARIABLE = "DYN_ROUTER_MODE"
_ROUND_ROBIN = "round-robin"


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

    def starts(self, engines: Container[str]) -> bool:
        """Whether it starts one of these modules or programs."""
        return any(command.engine in engines for command in self.commands)

    def variable(self, name: str) -> str | None:
        """The value of a variable as its engine sees it; None where nobody sets it.

        Raises:
            Undecided: it is set to something unknown.
        """
        # What a start script exports counts as well, and more.
        return variable_in(self.commands[0].environment if self.commands else self.environment, name)


@memoized
def read_workers(graph: ResourceGraph) -> Sequence[Worker | Unreadable]:
    """All workers, in the order of the graph."""
    return tuple(_read_workers(graph))


@dataclass(frozen=True, slots=True)
class Privileges:
    """What its security contexts say."""

    privileged: bool
    capabilities: frozenset[str]
    """Added ones, without the prefix CAP_."""
    user: int | None
    """None where the image decides."""
    host_ipc: bool

    def has(self, capability: str) -> bool:
        """Whether the container holds the capability."""
        return self.privileged or bool(self.capabilities & {capability, "ALL"})


def read_privileges(worker: Worker) -> Privileges:
    """The privileges of the worker's main container.

    Raises:
        Undecided: one of them is unknown or of another shape.
    """
    added = texts_at(worker.container, "securityContext", "capabilities", "add")
    user = whole_number_at(worker.container, "securityContext", "runAsUser")
    if user is None:
        user = whole_number_at(worker.pod, "securityContext", "runAsUser")
    return Privileges(
        privileged=field(worker.container, "securityContext", "privileged") is True,
        capabilities=frozenset(name.upper().removeprefix("CAP_") for name in added if name is not None),
        user=user,
        host_ipc=field(worker.pod, "hostIPC") is True,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Frontend:
    """One frontend and its command line."""

    template: PodTemplate
    container: Mapping[str, Value]
    command: StartCommand

    @property
    def resource(self) -> Resource:
        """The graph or the workload."""
        return self.template.resource

    @property
    def name(self) -> str:
        """Of the service, the component or the workload."""
        return self.template.name


@memoized
def read_frontends(graph: ResourceGraph) -> Sequence[Frontend | Unreadable]:
    """All frontends, in the order of the graph."""
    return tuple(_read_frontends(graph))


@dataclass(frozen=True, slots=True)
class Router:
    """A frontend of a Dynamo graph and the graph's workers."""

    frontend: Frontend
    workers: tuple[Worker, ...]

    def mode(self) -> str:
        """round-robin where nobody says.

        Raises:
            Undecided: it is unknown.
        """
        command = self.frontend.command
        given = command.flags.value(_MODE_FLAG)
        if given is not None:
            return given or _ROUND_ROBIN
        text = variable_in(command.environment, _MODE_VARIABLE)
        return _ROUND_ROBIN if text is None else text


def read_routers(graph: ResourceGraph) -> Iterator[Router]:
    """Every frontend of a Dynamo graph."""
    workers: dict[str, list[Worker]] = {}
    for worker in read_workers(graph):
        if not isinstance(worker, Unreadable) and worker.resource.kind == GRAPH_KIND:
            workers.setdefault(worker.resource.urn, []).append(worker)
    for frontend in read_frontends(graph):
        if isinstance(frontend, Frontend) and frontend.resource.kind == GRAPH_KIND:
            yield Router(frontend, tuple(workers.get(frontend.resource.urn, ())))


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
    environment = read_environment(graph, template, container)
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


def _read_frontends(graph: ResourceGraph) -> Iterator[Frontend | Unreadable]:
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            yield template
            continue
        # The operator runs the main container of a service; the others stand beside it.
        containers = template.containers if template.shape == "workload" else (template.main,)
        for container in containers:
            try:
                yield from _frontends_of(graph, template, container)
            except Undecided as reason:
                # An unreadable script of something else is no concern of a frontend's rules.
                if template.component_type == FRONTEND_TYPE or _mentions_frontend(container):
                    yield Unreadable(template.resource, template.name, str(reason))


def _frontends_of(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Iterator[Frontend]:
    command, arguments = texts_at(container, "command"), texts_at(container, "args")
    environment = read_environment(graph, template, container)
    started = [
        item for item in start_commands(command, arguments, environment) if item.engine == DYNAMO_FRONTEND
    ]
    if not started and template.component_type == FRONTEND_TYPE and not command and not arguments:
        # The operator's own command (ai-dynamo/dynamo deploy/operator component_frontend.go).
        started = [StartCommand(DYNAMO_FRONTEND, (), environment)]
    for item in started:
        yield Frontend(template, container, item)


def _mentions_frontend(container: Mapping[str, Value]) -> bool:
    return DYNAMO_FRONTEND in str(container.get("command")) + str(container.get("args"))
