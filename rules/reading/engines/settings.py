"""The engine that a worker starts, its settings and YAML file, and what a person typed in a stack's file."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, cast

import yaml

from engines.command_line import Setting, number
from engines.effective import (
    NO_FILE,
    TENSORRT_LLM,
    VLLM,
    Effective,
    EngineFile,
    EngineFileProblem,
    effective,
    engine_file_path,
)
from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from resource_graph.yaml_events import NOT_YAML, YamlProblem, check_limits
from rules.reading.commands.container_commands import ENGINES, StartCommand
from rules.reading.pods.containers import find_config_map
from rules.reading.pods.mounts import Mount, is_within, read_mounts
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, known, mapping_at, mappings_at, memoized, text_at

_yaml: Any = yaml
# The engines load with yaml.safe_load; the parser in C gives the same in a tenth of the time.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_REMEMBERED = 16_384
"""Number of remembered texts, as many as a large program has: every rule reads them all, so a smaller memory
helps none."""
_TYPED_INPUT = "typedSettings"
KV_TRANSPORT = "serving.kvTransport"
"""The setting that chooses the way of the KV cache."""
_Typed = tuple[str, str, str]
"""Path of a setting, such as serving.overrides.decode.max_batch_size; name of the worker or frontend that it
changes, empty where it changes the graph; the engine option, the variable or `image` that it decides."""

_AT_LEAST_ONE = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "nnodes",
)
"""Counts of vLLM's scheduler, ranks and nodes (vllm 0.20.1 vllm/config/scheduler.py, parallel.py)."""


def single_command(worker: Worker, programs: Collection[str] = ENGINES) -> StartCommand:
    """The one engine that the worker starts."""
    command = next(iter(worker.commands), None)
    if command is None:
        plural = "s" if worker.gpus_per_pod != 1 else ""
        raise Undecided(
            f"asks for {worker.gpus_per_pod} GPU{plural}, but no engine is seen in command or args"
        )
    if len(worker.commands) > 1:
        raise Undecided(f"starts {len(worker.commands)} engines in one container, which this does not follow")
    if command.engine not in programs:
        raise Undecided(f"starts {command.engine}, whose options this does not read")
    return command


def counts_below_one(settings: Effective) -> Mapping[str, Setting]:
    """Option of vLLM -> what it is given, of those that it takes from 1 on and that are given less."""
    given = ((name, settings.at(name)) for name in _AT_LEAST_ONE if settings.is_vllm)
    return {
        name: each
        for name, each in given
        if each is not None and (amount := known(number, each.value, "")) is not None and amount < 1
    }


def is_tensorrt_llm(worker: Worker) -> bool:
    """Whether the worker starts TensorRT-LLM, under Dynamo or on its own."""
    return worker.starts(TENSORRT_LLM)


def is_vllm(worker: Worker) -> bool:
    """Whether the worker starts vLLM, under Dynamo or on its own."""
    return worker.starts(VLLM)


@memoized
def read_settings(graph: ResourceGraph, worker: Worker) -> Effective:
    """The settings of a worker that starts exactly one engine.

    Raises:
        EngineFileProblem: its engine file or an override cannot be what the engine needs.
    """
    command = single_command(worker, TENSORRT_LLM | VLLM)
    file = _engine_file(graph, worker, command)
    return effective(command.engine, command.flags, command.environment, file)


@lru_cache(maxsize=_REMEMBERED)
def load_engine_yaml(text: str) -> tuple[object, str | None]:
    """What the text holds, which nobody may change, or why it cannot be loaded, its line first."""
    try:
        check_limits(text)
        return _yaml.load(text, Loader=_Loader), None
    except YamlProblem as problem:
        return None, f", line {problem.line}: {NOT_YAML}{str(problem).removeprefix(NOT_YAML)}"
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f", line {mark.line + 1}"
        return None, f"{place}: {NOT_YAML}{error.problem or error.context}"
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        first, _, _ = str(error).partition("\n")
        return None, f": {NOT_YAML}{first}"


def typed_options(graph: ResourceGraph, resource: Resource, part: str) -> Mapping[str, str]:
    """Option or variable of one worker -> the setting that decides it; empty outside of a stack."""
    return {decides: key for key, of, decides in _typed_above(graph, resource) if of == part}


def settings_behind(graph: ResourceGraph, resource: Resource, subject: str, message: str) -> tuple[str, ...]:
    """The settings that an observation comes from: those that it names, and those whose option it names."""

    def is_about(part: str) -> bool:
        # A finding on a worker may quote what the frontend is started with.
        return part == subject or is_named(part, message)

    found = (
        key
        for key, part, decides in _typed_above(graph, resource)
        if is_named(key, message) or (is_about(part) and _names_option(decides, message))
    )
    return tuple(dict.fromkeys(found))


def is_named(name: str, text: str) -> bool:
    """Whether the text has the name as a word of its own, not as a part of a longer path."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?!\.?[\w-])", text) is not None


def _engine_file(graph: ResourceGraph, worker: Worker, command: StartCommand) -> EngineFile:
    """The YAML mapping in the file that the command names; empty where it names none.

    Raises:
        EngineFileProblem: the file is missing from its ConfigMap, is no YAML or no mapping.
    """
    path = engine_file_path(command.engine, command.flags, command.environment)
    if not path:
        return NO_FILE
    own = command.files.get(posixpath.normpath(path))
    if own is not None:
        if not own.known:
            raise Undecided(f"the start script writes {path}, and what it writes is known only to a shell")
        where = f"{path}, which the start script writes"
        return EngineFile(where, _engine_mapping(own.text, where))
    config_map_name, key = _mounted_key(graph, worker, PurePosixPath(path))
    config_map = find_config_map(graph, worker.resource, config_map_name)
    where = f"ConfigMap {config_map_name}"
    if config_map.origin is not None:
        where += f" ({config_map.origin})"
    data = mapping_at(config_map.inputs, "data")
    if key not in data:
        keys = ", ".join(sorted(data)) or "none"
        raise EngineFileProblem(f"{where} has no key {key}, which {path} needs; its keys: {keys}")
    text = data[key]
    if text is UNKNOWN:
        raise Undecided(f"{key} of {where} is known only after the update")
    if not isinstance(text, str):
        raise EngineFileProblem(f"{key} of {where} is not a text")
    typed = typed_options(graph, worker.resource, worker.name)
    # Beside what a person typed, the object's name with its hash says nothing.
    source = key if typed else f"{key} of ConfigMap {config_map_name}"
    return EngineFile(source, _engine_mapping(text, f"{key} of {where}"), typed)


def _holds(graph: ResourceGraph, worker: Worker, mount: Mount, key: str) -> bool:
    """Whether the mount is a ConfigMap that has the key."""
    name = text_at(mount.volume, "configMap", "name")
    found = None if name is None else known(find_config_map, graph, worker.resource, name)
    return found is not None and key in mapping_at(found.inputs, "data")


def _mounted_key(graph: ResourceGraph, worker: Worker, path: PurePosixPath) -> tuple[str, str]:
    every = read_mounts(worker.template, worker.container)
    # A path of the command begins where the container starts; without workingDir the image says where.
    begins = "" if path.is_absolute() else text_at(worker.container, "workingDir") or ""
    place = PurePosixPath(posixpath.normpath(posixpath.join(begins, path)))
    mounts = [mount for mount in every if is_within(str(place), mount.path)]
    if not mounts:
        nowhere = f"the engine file {path} lies in no mounted volume"
        if not place.is_absolute():
            raise Undecided(nowhere)
        meant = slip_of(str(place.parent), [mount.path for mount in every], SLIPS)
        if meant is not None:
            raise EngineFileProblem(f"{nowhere}; {meant} is mounted")
        held = next((mount.path for mount in every if _holds(graph, worker, mount, path.name)), None)
        if held is not None:
            raise EngineFileProblem(f"{nowhere}; {held} has {path.name}")
        raise Undecided(nowhere)
    mount = max(mounts, key=lambda candidate: len(PurePosixPath(candidate.path).parts))
    inside = PurePosixPath(mount.inside) / place.relative_to(mount.path)
    if "configMap" not in mount.volume:
        raise Undecided(f"the engine file {path} lies in volume {mount.name}, which is no ConfigMap")
    return _config_map_key(mapping_at(mount.volume, "configMap"), str(inside), path)


def _config_map_key(source: Mapping[str, Value], inside: str, path: PurePosixPath) -> tuple[str, str]:
    name = text_at(source, "name")
    if name is None:
        raise Undecided(f"the ConfigMap with the engine file {path} has no name")
    items = {text_at(item, "path"): text_at(item, "key") for item in mappings_at(source, "items")}
    if items and inside not in items:
        raise EngineFileProblem(f"ConfigMap {name} is mounted without an item for {path}")
    return name, items.get(inside) or inside


def _engine_mapping(text: str, where: str) -> Mapping[str, Value]:
    content, problem = load_engine_yaml(text)
    if problem is not None:
        raise EngineFileProblem(f"{where}{problem}")
    if not isinstance(content, dict):
        found = "empty" if content is None else f"a {type(content).__name__}"
        raise EngineFileProblem(f"{where} is {found}, not a mapping of engine keys")
    return {str(key): value for key, value in cast("dict[object, Value]", content).items()}


def _names_option(name: str, text: str) -> bool:
    flag = name.replace("_", "-")
    return any(is_named(each, text) for each in (name, f"--{flag}", f"--no-{flag}"))


def _typed_above(graph: ResourceGraph, resource: Resource) -> Sequence[_Typed]:
    typed = _by_component(graph)
    return next((typed[above.urn] for above in graph.ancestors(resource) if above.urn in typed), ())


@memoized
def _by_component(graph: ResourceGraph) -> Mapping[str, Sequence[_Typed]]:
    """URN of a component -> what it tells."""
    found = ((component.urn, tuple(_told(component))) for component in graph.components())
    return {urn: told for urn, told in found if told}


def _told(component: Resource) -> Iterator[_Typed]:
    try:
        for entry in mappings_at(component.inputs, _TYPED_INPUT):
            key, part, decides = (text_at(entry, name) for name in ("key", "part", "decides"))
            if key and part and decides:
                yield key, part, decides
        if mapping_at(component.inputs, "kvTransport").get("typed") is True:
            yield KV_TRANSPORT, "", "kvTransport"
    except Undecided:
        # Another program's component may have inputs of these names.
        return
