"""The settings that TensorRT-LLM really runs with under `python3 -m dynamo.trtllm` or `trtllm-serve`.

Order, each overriding the one before: the flag's default, its environment variable, the flag, the engine
file, then `--override-engine-args` or `--trtllm.<key>` (ai-dynamo 1.2.1,
dynamo/trtllm/workers/llm_worker.py; `trtllm-serve` ends with its file). Keys of the file replace top-level
settings; only `kv_cache_config` is merged key by key. An override replaces a whole top-level block.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.tensorrt_llm.flags import DYNAMIC_PREFIX, FILE_OPTIONS, OPTIONS, OVERRIDE_ENGINE_ARGS, Option
from resource_graph import ResourceGraph, Value
from rules.reading.commands.container_commands import TRTLLM_SERVE, StartCommand
from rules.reading.commands.words import UNKNOWN_WORD, variable_in
from rules.reading.engines.command_settings import json_object, single_command
from rules.reading.engines.engine_yaml import EngineFile, EngineFileProblem, read_engine_file
from rules.reading.memoized import memoized_for_each
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Count, Setting, Undecided, number, whole_number

_MERGED_BLOCK = "kv_cache_config"
_SWITCHED_ON = frozenset({"1", "true", "yes", "on"})
READ_SINCE = (1, 0)
"""The Dynamo release from which on TensorRT-LLM's own code was read: files of January to June 2026, which
agree with each other."""


@dataclass(frozen=True, slots=True)
class TensorRtLlmSettings:
    """What one TensorRT-LLM worker runs with, as far as flags, environment and files say."""

    command: StartCommand
    file: EngineFile
    """The engine file's content; empty where the command names no file."""
    overrides: EngineFile

    def at(self, *path: str) -> Setting | None:
        """The effective value of a setting, or a flag's default; None where the engine's default acts."""
        if path[0] in self.overrides.content:
            return _inside(self.overrides, path)
        if path[0] in self.file.content:
            found = _inside(self.file, path)
            if found is not None or path[0] != _MERGED_BLOCK:
                return found
        option = OPTIONS[self.command.engine].get(path)
        if option is None:
            return None
        setting = option_value(self.command, option)
        return None if setting.value is None else setting

    def setting(self, *path: str, default: Value) -> Setting:
        """The effective value, or the engine's default."""
        found = self.at(*path)
        return Setting(default, "the engine's default") if found is None else found

    def count(self, *path: str, default: int) -> Count:
        """The effective value of a setting that is a whole number, or the engine's default."""
        setting = self.setting(*path, default=default)
        return Count(whole_number(setting.value, f"{'.'.join(path)} in {setting.source}"), setting.source)

    def given_count(self, *path: str) -> Count | None:
        """The effective value of a setting that is a whole number; None where the engine's default acts."""
        return None if self.at(*path) is None else self.count(*path, default=0)

    def number(self, *path: str, default: float) -> float:
        """The effective value of a setting that is a number, such as a fraction."""
        setting = self.setting(*path, default=default)
        return number(setting.value, f"{'.'.join(path)} in {setting.source}")

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
        yield from ((each.source, each.content) for each in (self.file, self.overrides) if each.content)


def is_tensorrt_llm(worker: Worker) -> bool:
    """Whether the worker starts TensorRT-LLM, under Dynamo or on its own."""
    return worker.starts(OPTIONS)


@memoized_for_each
def read_tensorrt_llm(graph: ResourceGraph, worker: Worker) -> TensorRtLlmSettings:
    """The settings of a worker that starts exactly one TensorRT-LLM engine.

    Raises:
        EngineFileProblem: its engine file or override cannot be what the engine needs.
    """
    command = single_command(worker, OPTIONS)
    path = option_value(command, FILE_OPTIONS[command.engine]).value
    file = read_engine_file(graph, worker, path, written=command.files)
    return TensorRtLlmSettings(command, file, _overrides(command))


def option_value(command: StartCommand, option: Option) -> Setting:
    """What an option is given: by flag, by its variable, or its default."""
    name = option.flags[0]
    given: str | bool | None = command.flags.switch(name) if option.is_switch else None
    if not option.is_switch:
        name, given = command.flags.option(option.flags)
    if given is not None:
        return Setting(given, name)
    text = None if option.variable is None else variable_in(command.environment, option.variable)
    if text is None:
        return Setting(option.default, f"the default of {option.flags[0]}")
    return Setting(text.lower() in _SWITCHED_ON if option.is_switch else text, str(option.variable))


def _overrides(command: StartCommand) -> EngineFile:
    if command.engine == TRTLLM_SERVE:
        return EngineFile("", {})
    text = option_value(command, OVERRIDE_ENGINE_ARGS).value
    name = OVERRIDE_ENGINE_ARGS.flags[0]
    dynamic = [flag for flag in command.flags.all if flag.name.startswith(DYNAMIC_PREFIX)]
    if isinstance(text, str) and text:
        if dynamic:
            raise EngineFileProblem(f"{name} and {DYNAMIC_PREFIX}* exclude each other")
        return EngineFile(name, json_object(text, name))
    overrides: dict[str, Value] = {}
    for flag in dynamic:
        *blocks, last = flag.name.removeprefix(DYNAMIC_PREFIX).split(".")
        value = (flag.value or UNKNOWN_WORD).value(flag.name)
        block = overrides
        for key in blocks:
            inner = block.get(key)
            block[key] = inner = inner if isinstance(inner, dict) else {}
            block = inner
        block[last] = value
    return EngineFile(f"{DYNAMIC_PREFIX}*", overrides)


def _inside(settings: EngineFile, path: tuple[str, ...]) -> Setting | None:
    current: Value = settings.content
    for index, key in enumerate(path):
        if current is None:
            return None
        if not isinstance(current, (dict, Mapping)):
            raise Undecided(f"{'.'.join(path[:index])} in {settings.source} is {current!r}, not a mapping")
        current = current.get(key)
    return None if current is None else Setting(current, settings.source_of(path))
