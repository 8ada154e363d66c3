"""Who uses the files of a model, and where each of them looks for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

from engines.command_line import Environment, Flag, Word, parse_flags, variable_in
from engines.models import in_hub_folder
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.benchmarks import TOKENIZER, Benchmark, read_benchmarks
from rules.reading.commands.container_commands import (
    TRTLLM_SERVE,
    VLLM_SERVE,
    arguments_of,
    mentions,
    read_script,
)
from rules.reading.commands.python_downloads import SNAPSHOT_DOWNLOAD, snapshot_downloads
from rules.reading.commands.shell import SimpleCommand
from rules.reading.engines.models import checkpoint_name
from rules.reading.pods.containers import all_containers, read_environment
from rules.reading.pods.mounts import Mount, is_within, read_mounts
from rules.reading.pods.pods import PodTemplate, Unreadable, read_pods, readable
from rules.reading.pods.workers import FRONTEND_TYPE, Worker, read_workers
from rules.reading.shapes import Undecided, memoized_all

_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w.-]+")
Kind = Literal["worker", "frontend", "download", "benchmark"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HUB_PROGRAMS = ("hf", "huggingface-cli")
_PYTHON = ("python3", "python")
_DOWNLOADS_MENTIONED = re.compile(rf"\b(?:hf|huggingface-cli)\b\s+download\b|\b{SNAPSHOT_DOWNLOAD}\b")
_DIRECTORY_FLAGS = ("--local-dir", "--cache-dir")
HUB_OPTIONS_WITH_VALUE = frozenset(
    {*_DIRECTORY_FLAGS, "--revision", "--include", "--exclude", "--repo-type", "--token", "--max-workers"}
)
_CACHE_VARIABLE = "HF_HUB_CACHE"
_BELOW_HOME = (
    (re.compile(r"/\.cache/huggingface/hub/?$"), ""),
    (re.compile(r"/\.cache/huggingface/?$"), "/hub"),
    (re.compile(r"/\.cache/?$"), "/huggingface/hub"),
    (re.compile(r"^(?:/root|/home/[^/]+)/?$"), "/.cache/huggingface/hub"),
)
_SWITCHED_ON = frozenset({"1", "ON", "YES", "TRUE"})


@dataclass(frozen=True, slots=True)
class ModelReference:
    """How a model is named: a repository of the hub, a directory, or both at once."""

    text: str
    source: str
    repository: str | None
    """Repository of the model on the hub; None where a directory does not tell."""
    revision: str | None
    """Revision of the repository; None for the newest one, or where a directory does not tell."""

    @property
    def is_path(self) -> bool:
        """Whether the reference names a directory."""
        return self.text.startswith("/")


def model_reference(text: str, source: str, revision: str | None = None) -> ModelReference:
    """What a command's word says of a model."""
    folder = in_hub_folder(text)
    if folder is not None and folder[2] is not None:
        return ModelReference(text, source, f"{folder[0]}/{folder[1]}", folder[2])
    return ModelReference(text, source, text if _REPOSITORY.fullmatch(text) else None, revision)


@dataclass(frozen=True, slots=True, eq=False)
class ModelUser:
    """A container that downloads, serves or counts the tokens of a model."""

    kind: Kind
    template: PodTemplate
    name: str
    container: Mapping[str, Value]
    environment: Environment
    mounted: Sequence[Mount]
    """Everything that the container mounts."""
    models: tuple[ModelReference, ...]
    flags: tuple[Flag, ...] = ()
    """Options of the download's command, or of the engine's."""
    worker: Worker | None = None

    @property
    def resource(self) -> Resource:
        """The graph or the workload."""
        return self.template.resource

    @property
    def mounts(self) -> Sequence[Mount]:
        """The claims and directories of its node that the container mounts."""
        return [mount for mount in self.mounted if mount.keeps_files]

    @property
    def is_offline(self) -> bool:
        """Whether huggingface_hub is told not to connect to the hub."""
        text = self.variable("HF_HUB_OFFLINE")
        if not text and self._asks_in_python:
            # The same order as in huggingface_hub/constants.py: a 0 of the first is not asked further.
            text = self.variable("TRANSFORMERS_OFFLINE")
        return text is not None and text.upper() in _SWITCHED_ON

    @property
    def _asks_in_python(self) -> bool:
        """Whether huggingface_hub fetches: Dynamo's own processes do it in Rust, by HF_HUB_OFFLINE alone."""
        engines = () if self.worker is None else self.worker.commands
        return any(command.engine in {TRTLLM_SERVE, VLLM_SERVE} for command in engines)

    @property
    def cache_directory(self) -> str:
        """Directory in which huggingface_hub keeps repositories (huggingface_hub/constants.py)."""
        for name, inside in (
            (_CACHE_VARIABLE, ""),
            ("HF_HOME", "/hub"),
            ("XDG_CACHE_HOME", "/huggingface/hub"),
            ("HOME", "/.cache/huggingface/hub"),
        ):
            text = self.variable(name)
            if text:
                return text.rstrip("/") + inside
        # The image's user decides the directory; a mount at one of these places is meant for the cache.
        for mount in self.mounts:
            for ending, inside in _BELOW_HOME:
                if ending.search(mount.path):
                    return mount.path.rstrip("/") + inside
        return "~/.cache/huggingface/hub"

    def variable(self, name: str) -> str | None:
        """A variable of the container; None where nobody sets it."""
        return variable_in(self.environment, name)

    def mount_of(self, path: str) -> Mount | None:
        """The innermost mount that the path lies on; None where the path lies on no mount."""
        holding = [mount for mount in self.mounts if is_within(path, mount.path)]
        return max(holding, key=lambda mount: len(PurePosixPath(mount.path).parts), default=None)

    def model_mount(self) -> Mount | None:
        """The mount that the model is taken from or brought to; None where no mount holds the model."""
        paths = [model.text for model in self.models if model.is_path]
        for path in (*paths, self.cache_directory):
            mount = self.mount_of(path)
            if mount is not None:
                return mount
        return None


@dataclass(frozen=True, slots=True)
class UnreadableUser(Unreadable):
    """A container that uses a model and cannot be read, and why."""

    kind: Kind


@memoized_all
def read_model_users(graph: ResourceGraph) -> Iterator[ModelUser | UnreadableUser]:
    """All users of models, downloads first."""
    pods = tuple(readable(read_pods(graph)))
    for template in pods:
        if template.shape == "workload":
            yield from _as_far_as_read("download", template, _downloads(graph, template))
    for worker in readable(read_workers(graph)):
        yield from _as_far_as_read("worker", worker, _serving(worker))
    for template in pods:
        if template.component_type == FRONTEND_TYPE:
            yield from _as_far_as_read("frontend", template, _frontend(graph, template))
    for benchmark in readable(read_benchmarks(graph)):
        yield from _as_far_as_read("benchmark", benchmark.template, _benchmark(graph, benchmark))


def _as_far_as_read(
    kind: Kind, of: PodTemplate | Worker, users: Iterator[ModelUser | UnreadableUser]
) -> Iterator[ModelUser | UnreadableUser]:
    try:
        yield from users
    except Undecided as reason:
        yield UnreadableUser(of.resource, of.name, str(reason), kind)


def _downloads(graph: ResourceGraph, template: PodTemplate) -> Iterator[ModelUser | UnreadableUser]:
    for _, container in all_containers(template):
        yield from _as_far_as_read("download", template, _download(graph, template, container))


def _download(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Iterator[ModelUser]:
    if not mentions(container, _DOWNLOADS_MENTIONED):
        return
    commands, _ = read_script(graph, template, container)
    for words, environment in (*arguments_of(commands, *HUB_PROGRAMS), *_in_python(commands)):
        if not words or words[0].text != "download":
            continue
        flags = parse_flags(tuple(words[1:])).all
        repository = _downloaded(words[1:])
        models = (
            (model_reference(repository, "hf download", _value(flags, ("--revision",))),)
            if repository
            else ()
        )
        directory = _value(flags, _DIRECTORY_FLAGS)
        own = {**environment} if directory is None else {**environment, _CACHE_VARIABLE: Word(directory)}
        mounts = read_mounts(template, container)
        yield ModelUser("download", template, template.name, container, own, mounts, models, flags)


def _in_python(commands: Sequence[SimpleCommand]) -> Iterator[tuple[Sequence[Word], Environment]]:
    for words, environment in arguments_of(commands, *_PYTHON):
        if len(words) > 1 and words[0].text == "-c" and words[1].known:
            for call in snapshot_downloads(words[1].text):
                yield call, environment


def _downloaded(words: Sequence[Word]) -> str | None:
    """The first word that is neither an option nor an option's value; None where it is unknown."""
    previous = ""
    for word in words:
        if not word.text.startswith("-") and previous not in HUB_OPTIONS_WITH_VALUE:
            return word.text if word.known and word.text else None
        previous = word.text
    return None


def _serving(worker: Worker) -> Iterator[ModelUser]:
    template, container = worker.template, worker.container
    for command in worker.commands[:1]:
        mounts, flags = read_mounts(template, container), command.flags.all
        text, source = checkpoint_name(command), command.engine if command.model_word else "its command"
        revision = _value(flags, ("--revision",))
        models = (model_reference(text, source, revision),) if text else ()
        yield ModelUser(
            "worker", template, worker.name, container, command.environment, mounts, models, flags, worker
        )


def _frontend(graph: ResourceGraph, template: PodTemplate) -> Iterator[ModelUser]:
    name, main = template.name, template.main
    environment = read_environment(graph, template, main)
    yield ModelUser("frontend", template, name, main, environment, read_mounts(template, main), ())


def _benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[ModelUser]:
    template, container = benchmark.template, benchmark.container
    environment, mounts = read_environment(graph, template, container), read_mounts(template, container)
    tokenizers = [run.setting(*TOKENIZER) for run in benchmark.runs]
    named = {str(each.value): each.source for each in tokenizers if each is not None}
    models = tuple(model_reference(text, source) for text, source in named.items())
    yield ModelUser("benchmark", template, template.name, container, environment, mounts, models)


def _value(flags: Sequence[Flag], names: Sequence[str]) -> str | None:
    for flag in reversed(flags):
        if flag.name in names and flag.value is not None:
            return flag.value.value(flag.name)
    return None
