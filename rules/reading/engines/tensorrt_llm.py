"""The settings that TensorRT-LLM really runs with under `python3 -m dynamo.trtllm` or `trtllm-serve`.

Order, each overriding the one before: the flag's default, its environment variable, the flag, the engine
file, then `--override-engine-args` or `--trtllm.<key>` (ai-dynamo 1.2.1,
dynamo/trtllm/workers/llm_worker.py; `trtllm-serve` ends with its file). Keys of the file replace top-level
settings; only `kv_cache_config` is merged key by key. An override replaces a whole top-level block.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from resource_graph import ResourceGraph, Value
from rules.reading.commands.flags import Flags
from rules.reading.commands.start_script import TENSORRT_LLM, TRTLLM_SERVE, StartCommand
from rules.reading.engines.tensorrt_llm_options import FILE_OPTIONS, OPTIONS, OVERRIDE_ENGINE_ARGS, Option
from rules.reading.pods.containers import EngineFileProblem, read_engine_file
from rules.reading.pods.once_per_worker import once_per_worker
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, whole_number

_DYNAMIC_PREFIX = "--trtllm."
_MERGED_BLOCK = "kv_cache_config"
_SWITCHED_ON = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it comes from."""

    value: Value
    source: str


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number and where it comes from."""

    value: int
    source: str


@dataclass(frozen=True, slots=True)
class TensorRtLlmSettings:
    """What one TensorRT-LLM worker runs with, as far as flags, environment and files say."""

    command: StartCommand
    flags: Flags
    file: Mapping[str, Value]
    """The engine file; empty where none is named."""
    file_source: str
    overrides: Mapping[str, Value]
    overrides_source: str

    def at(self, *path: str) -> Setting | None:
        """The effective value of a setting, a flag's default included; None where the engine's default acts.

        Raises:
            Undecided: it depends on something unknown, or a block on the way is no mapping.
        """
        if path[0] in self.overrides:
            return _inside(self.overrides, path, self.overrides_source)
        option = OPTIONS[self.command.engine].get(path)
        if path[0] in self.file:
            found = _inside(self.file, path, self.file_source)
            if found is not None or path[0] != _MERGED_BLOCK:
                return found
        if option is None:
            return None
        setting = option_value(self.command, self.flags, option)
        return None if setting.value is None else setting

    def setting(self, *path: str, default: Value) -> Setting:
        """The effective value, or the engine's default."""
        found = self.at(*path)
        return Setting(default, "the engine's default") if found is None else found

    def count(self, *path: str, default: int) -> Count:
        """The effective value of a setting that is a whole number, or the engine's default."""
        setting = self.setting(*path, default=default)
        return Count(whole_number(setting.value, f"{'.'.join(path)} in {setting.source}"), setting.source)

    def number(self, *path: str, default: float) -> float:
        """The effective value of a setting that is a number, such as a fraction."""
        setting = self.setting(*path, default=default)
        try:
            if isinstance(setting.value, int | float | str) and not isinstance(setting.value, bool):
                return float(setting.value)
        except (ValueError, OverflowError):
            pass
        raise Undecided(f"{'.'.join(path)} in {setting.source} is {setting.value!r}, not a number")

    def switch(self, *path: str, default: bool = False) -> bool:
        """The effective value of a setting that is true or false."""
        setting = self.setting(*path, default=default)
        if isinstance(setting.value, bool):
            return setting.value
        if isinstance(setting.value, str):
            return setting.value.lower() in _SWITCHED_ON
        raise Undecided(f"{'.'.join(path)} in {setting.source} is {setting.value!r}, not true or false")

    def moe_backend(self) -> Setting:
        """The kernels that run the experts, in upper case; AUTO where nobody says."""
        setting = self.setting("moe_config", "backend", default="AUTO")
        if not isinstance(setting.value, str):
            raise Undecided(f"moe_config.backend in {setting.source} is {setting.value!r}, not a text")
        return Setting(setting.value.upper(), setting.source)

    def written(self) -> Iterator[tuple[str, Mapping[str, Value]]]:
        """What a person wrote as engine settings: the source and its mapping."""
        if self.file:
            yield self.file_source, self.file
        if self.overrides:
            yield self.overrides_source, self.overrides


def is_tensorrt_llm(worker: Worker) -> bool:
    """Whether the worker starts TensorRT-LLM, under Dynamo or on its own."""
    return any(command.engine in OPTIONS for command in worker.commands)


@once_per_worker
def read_tensorrt_llm(graph: ResourceGraph, worker: Worker) -> TensorRtLlmSettings:
    """The settings of a worker that starts exactly one TensorRT-LLM engine.

    Raises:
        EngineFileProblem: its engine file or override cannot be what the engine needs.
        Undecided: it starts no engine that can be read here, or several.
    """
    command = single_command(worker)
    if command.engine not in OPTIONS:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    flags = command.flags
    file_source, file = _engine_file(graph, worker, command, flags)
    overrides_source, overrides = _overrides(command, flags)
    return TensorRtLlmSettings(
        command=command,
        flags=flags,
        file=file,
        file_source=file_source,
        overrides=overrides,
        overrides_source=overrides_source,
    )


def single_command(worker: Worker) -> StartCommand:
    """The one engine that the worker starts.

    Raises:
        Undecided: it starts none that is seen, or several.
    """
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided(f"asks for {worker.gpus_per_pod} GPUs, but no engine is seen in command or args")
    if len(worker.commands) > 1:
        raise Undecided(f"starts {len(worker.commands)} engines in one container, which this does not follow")
    return command


def option_value(command: StartCommand, flags: Flags, option: Option) -> Setting:
    """What an option is given: by flag, by its variable, or its default.

    Raises:
        Undecided: it depends on something unknown.
    """
    for name in reversed(option.flags):
        if option.is_switch:
            switched = flags.switch(name)
            if switched is not None:
                return Setting(switched, name)
            continue
        given = flags.value(name)
        if given is not None:
            return Setting(given, name)
    variable = None if option.variable is None else command.environment.get(option.variable)
    if variable is None:
        return Setting(option.default, f"the default of {option.flags[0]}")
    if not variable.known:
        raise Undecided(f"the value of the variable {option.variable} is unknown")
    if option.is_switch:
        return Setting(variable.text.lower() in _SWITCHED_ON, str(option.variable))
    return Setting(variable.text, str(option.variable))


def _engine_file(
    graph: ResourceGraph, worker: Worker, command: StartCommand, flags: Flags
) -> tuple[str, Mapping[str, Value]]:
    path = option_value(command, flags, FILE_OPTIONS[command.engine]).value
    if not isinstance(path, str) or not path:
        return "", {}
    file = read_engine_file(graph, worker.resource, worker.pod, worker.container, path, written=command.files)
    return file.source, file.content


def _overrides(command: StartCommand, flags: Flags) -> tuple[str, Mapping[str, Value]]:
    if command.engine == TRTLLM_SERVE:
        return "", {}
    assert command.engine == TENSORRT_LLM
    text = option_value(command, flags, OVERRIDE_ENGINE_ARGS).value
    name = OVERRIDE_ENGINE_ARGS.flags[0]
    dynamic = flags.with_prefix(_DYNAMIC_PREFIX)
    if isinstance(text, str) and text:
        if dynamic:
            raise EngineFileProblem(f"{name} and {_DYNAMIC_PREFIX}* exclude each other")
        return name, _json_mapping(text)
    overrides: dict[str, Value] = {}
    for flag in dynamic:
        keys = flag.name.removeprefix(_DYNAMIC_PREFIX).split(".")
        if flag.value is None or not flag.value.known:
            raise Undecided(f"the value of {flag.name} is unknown")
        block = overrides
        for key in keys[:-1]:
            inner = block.get(key)
            block[key] = inner = inner if isinstance(inner, dict) else {}
            block = inner
        block[keys[-1]] = flag.value.text
    return f"{_DYNAMIC_PREFIX}*", overrides


def _json_mapping(text: str) -> Mapping[str, Value]:
    name = OVERRIDE_ENGINE_ARGS.flags[0]
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineFileProblem(f"{name} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise EngineFileProblem(f"{name} is not a JSON object")
    return cast("dict[str, Value]", content)


def _inside(settings: Mapping[str, Value], path: tuple[str, ...], source: str) -> Setting | None:
    current: Value = settings
    for index, key in enumerate(path):
        if current is None:
            return None
        if not isinstance(current, (dict, Mapping)):
            raise Undecided(f"{'.'.join(path[:index])} in {source} is {current!r}, not a mapping")
        current = current.get(key)
    return None if current is None else Setting(current, source)
