"""One published graph: its services, what starts them, and the documents beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from engines.reading import ReadWorker
from engines.registry import READERS, Framework
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import StartCommand, command_line, read_script
from rules.reading.commands.words import Word
from rules.reading.engines.engine_yaml import read_engine_file
from rules.reading.pods.containers import environment_entries
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods
from rules.reading.pods.workers import Frontend, Worker, read_frontends, read_workers
from rules.reading.shapes import Undecided, text_at
from stacks.errors import Problem, SettingsError
from stacks.nearest import nearest
from stacks.wording import alternatives


@dataclass(frozen=True, slots=True)
class PublishedService:
    """One service or component of the graph."""

    template: PodTemplate
    declared_type: str | None
    """frontend, worker, prefill, decode or main; None where nobody says."""
    arguments: tuple[str, ...]
    """Of the frontend's command; a worker's are in `worker`."""
    environment: Mapping[str, str]
    worker: ReadWorker | None
    """What the engine was started with; None for a frontend."""
    framework: Framework | None
    gpus: int
    file: str
    """Name of the engine's file, for messages; empty without one."""
    config_maps: tuple[str, ...]
    """Those whose values are filled into the command line, by way of variables."""
    other_commands: tuple[str, ...]
    """Programs that the container's script starts beside."""
    unknown_variables: tuple[str, ...]
    """Variables whose values come from elsewhere, such as a Secret."""

    @property
    def name(self) -> str:
        """The service's name in the graph."""
        return self.template.name

    @property
    def is_frontend(self) -> bool:
        """Whether it takes the requests of clients."""
        return self.worker is None


def find_graph(graph: ResourceGraph, file: str) -> Resource:
    """Return the one graph among the documents.

    Raises:
        SettingsError: there is none, or there are several.

    """
    found = graph.kubernetes_objects(GRAPH_KIND)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(each.name for each in found)
        problem = Problem("", None, f"holds several graphs: {names}", suggestion="one graph a file")
        raise SettingsError({file: [problem]})
    kinds = sorted({str(each.kind) for each in graph})
    message = f"holds no {GRAPH_KIND}, only {alternatives(kinds)}" if kinds else "holds no document"
    meant = nearest(GRAPH_KIND, kinds)
    problem = Problem("", None, message, suggestion=f"{GRAPH_KIND}, for {meant}" if meant else None)
    raise SettingsError({file: [problem]})


def read_services(graph: ResourceGraph, owner: Resource, file: str) -> Iterator[PublishedService | str]:
    """Yield the services of the graph; of one that is neither frontend nor worker its name.

    Raises:
        SettingsError: one cannot be read, or starts an engine that no recipe can have.

    """
    started: dict[str, Worker | Frontend] = {}
    for each in (*read_frontends(graph), *read_workers(graph)):
        if isinstance(each, Unreadable):
            if each.resource is owner:
                raise SettingsError({file: [Problem(each.name, None, f"cannot be read: {each.reason}")]})
        elif each.resource is owner:
            started[each.template.name] = each
    for template in read_pods(graph):
        if template.resource is not owner or isinstance(template, Unreadable):
            continue
        found = started.get(template.name)
        try:
            yield _service(graph, template, found, file) if found else template.name
        except Undecided as reason:
            raise SettingsError({file: [Problem(template.name, None, f"cannot be read: {reason}")]}) from None


def _service(
    graph: ResourceGraph, template: PodTemplate, found: Worker | Frontend, file: str
) -> PublishedService:
    command = _command(found, file)
    words = {name: word for name, word in command.environment.items() if word.known}
    filled_in = _filled_in(template)
    environment = {name: word.text for name, word in words.items() if name not in filled_in}
    worker: ReadWorker | None = None
    framework: Framework | None = None
    source = ""
    arguments = tuple(_known(word, command.engine) for word in command.arguments)
    if isinstance(found, Worker):
        framework, reader = READERS[command.engine]
        given = [command.flags.value(flag) for flag in reader.file_flags]
        path = next((each for each in given if each), None)
        engine_file = read_engine_file(graph, found, path, written=command.files)
        source = engine_file.source
        worker = reader.read(arguments, engine_file.content, environment)
    declared = template.described_by.get("componentType") or template.component_type
    return PublishedService(
        template=template,
        declared_type=cast("str | None", declared),
        arguments=() if worker else arguments,
        environment=worker.environment if worker else environment,
        worker=worker,
        framework=framework,
        gpus=found.gpus_per_pod if isinstance(found, Worker) else 0,
        file=source,
        config_maps=tuple(dict.fromkeys(filled_in.values())),
        other_commands=_other_commands(graph, template, command),
        unknown_variables=tuple(name for name in command.environment if name not in words),
    )


def _command(found: Worker | Frontend, file: str) -> StartCommand:
    if isinstance(found, Frontend):
        return found.command
    service = found.template.name
    match found.commands:
        case ():
            message = "asks for GPUs, and no engine is seen in command or args"
            problem = Problem(service, None, message)
        case (command,) if command.engine in READERS:
            return command
        case (command,):
            message = "no recipe can have this engine"
            problem = Problem(service, command.engine, message, allowed=alternatives(list(READERS)))
        case several:
            names = ", ".join(command.engine for command in several)
            problem = Problem(service, names, "starts several engines in one container")
    raise SettingsError({file: [problem]})


def _filled_in(template: PodTemplate) -> dict[str, str]:
    """Return the variables that a ConfigMap gives to fill in `$(NAME)`, and the ConfigMap of each."""
    words = " ".join(word or "" for word in command_line(template.main))
    found: dict[str, str] = {}
    for entry in environment_entries(template, template.main):
        name, source = text_at(entry, "name"), text_at(entry, "valueFrom", "configMapKeyRef", "name")
        if name and source and f"$({name})" in words:
            found[name] = source
    return found


def _known(word: Word, engine: str) -> str:
    return word.value(f"an argument of {engine}")


def _other_commands(graph: ResourceGraph, template: PodTemplate, command: StartCommand) -> tuple[str, ...]:
    script = read_script(graph, template, template.main)
    programs: list[str] = []
    for each in script.commands:
        texts: Sequence[str] = [word.text for word in each.words]
        if command.engine not in texts:
            programs.append(texts[0].rpartition("/")[2] or "something unnamed")
    return tuple(dict.fromkeys((*programs, *(["what cannot be read"] if script.unread else []))))


def documents_beside(graph: ResourceGraph, owner: Resource) -> Iterator[Resource]:
    """Yield every other document."""
    return (each for each in graph if each is not owner)


def plain(value: Value) -> object:
    """Return a value as Python's YAML library takes it."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(inner) for inner in value]
    return value
