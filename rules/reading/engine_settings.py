"""The settings that TensorRT-LLM really runs with under `python3 -m dynamo.trtllm`.

Order, each overriding the one before: the flag's default, its environment variable, the flag, the engine
file, then `--override-engine-args` or `--trtllm.<key>` (ai-dynamo 1.2.1,
dynamo/trtllm/workers/llm_worker.py). Keys of the file replace top-level settings; only `kv_cache_config`
is merged key by key.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from resource_graph import ResourceGraph, Value
from rules.reading.containers import EngineFileProblem, read_engine_file
from rules.reading.flags import Flags, parse_flags
from rules.reading.shapes import Undecided, text_at, whole_number
from rules.reading.start_script import TENSORRT_LLM, StartCommand
from rules.reading.workers import Worker

_DYNAMIC_PREFIX = "--trtllm."
_EXTRA_FLAG = "--extra-engine-args"
_OVERRIDE_FLAG = "--override-engine-args"


@dataclass(frozen=True, slots=True)
class _Option:
    flag: str
    variable: str
    default: Value


_OPTIONS: Mapping[str, _Option] = MappingProxyType(
    {
        "tensor_parallel_size": _Option("--tensor-parallel-size", "DYN_TRTLLM_TENSOR_PARALLEL_SIZE", 1),
        "pipeline_parallel_size": _Option("--pipeline-parallel-size", "DYN_TRTLLM_PIPELINE_PARALLEL_SIZE", 1),
        "extra_engine_args": _Option(_EXTRA_FLAG, "DYN_TRTLLM_EXTRA_ENGINE_ARGS", ""),
        "override_engine_args": _Option(_OVERRIDE_FLAG, "DYN_TRTLLM_OVERRIDE_ENGINE_ARGS", ""),
    }
)


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
class EngineSettings:
    """What one TensorRT-LLM worker runs with, as far as flags, environment and files say."""

    _command: StartCommand
    _flags: Flags
    _file: Mapping[str, Value]
    _file_source: str
    _overrides: Mapping[str, Value]
    _overrides_source: str

    def setting(self, key: str, default: Value) -> Setting:
        """The effective value of a top-level engine setting.

        Raises:
            Undecided: it depends on something unknown.
        """
        if key in self._overrides:
            return Setting(self._overrides[key], self._overrides_source)
        if key in self._file:
            return Setting(self._file[key], self._file_source)
        if key not in _OPTIONS:
            return Setting(default, "the engine's default")
        return _option(self._command, self._flags, _OPTIONS[key])

    def count(self, key: str) -> Count:
        """The effective value of a setting that is a whole number, 1 where nobody sets it."""
        setting = self.setting(key, 1)
        return Count(whole_number(setting.value, f"{key} in {setting.source}"), setting.source)

    def moe_backend(self) -> Setting:
        """The kernels that run the experts, in upper case; AUTO where nobody says."""
        block = self.setting("moe_config", None)
        if block.value is None:
            return Setting("AUTO", block.source)
        if not isinstance(block.value, Mapping):
            raise Undecided(f"moe_config in {block.source} is {block.value!r}, not a mapping")
        return Setting((text_at(block.value, "backend") or "AUTO").upper(), block.source)


def read_engine_settings(graph: ResourceGraph, worker: Worker) -> EngineSettings:
    """The settings of a worker that starts exactly one TensorRT-LLM engine.

    Raises:
        EngineFileProblem: its engine file or override cannot be what the engine needs.
        Undecided: it starts no engine that can be read here, or several.
    """
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided(f"asks for {worker.gpus_per_pod} GPUs, but no engine is seen in command or args")
    if len(worker.commands) > 1:
        raise Undecided(f"starts {len(worker.commands)} engines in one container, which this does not follow")
    if command.engine != TENSORRT_LLM:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    flags = parse_flags(command.arguments)
    file_source, file = _engine_file(graph, worker, command, flags)
    overrides_source, overrides = _overrides(command, flags)
    return EngineSettings(
        _command=command,
        _flags=flags,
        _file=file,
        _file_source=file_source,
        _overrides=overrides,
        _overrides_source=overrides_source,
    )


def _engine_file(
    graph: ResourceGraph, worker: Worker, command: StartCommand, flags: Flags
) -> tuple[str, Mapping[str, Value]]:
    path = _option(command, flags, _OPTIONS["extra_engine_args"]).value
    if not isinstance(path, str) or not path:
        return "", {}
    file = read_engine_file(graph, worker.resource, worker.pod, worker.container, path)
    return file.source, file.content


def _overrides(command: StartCommand, flags: Flags) -> tuple[str, Mapping[str, Value]]:
    text = _option(command, flags, _OPTIONS["override_engine_args"]).value
    dynamic = flags.with_prefix(_DYNAMIC_PREFIX)
    if isinstance(text, str) and text:
        if dynamic:
            raise EngineFileProblem(f"{_OVERRIDE_FLAG} and {_DYNAMIC_PREFIX}* exclude each other")
        return _OVERRIDE_FLAG, _json_mapping(text)
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
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineFileProblem(f"{_OVERRIDE_FLAG} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise EngineFileProblem(f"{_OVERRIDE_FLAG} is not a JSON object")
    return cast("dict[str, Value]", content)


def _option(command: StartCommand, flags: Flags, option: _Option) -> Setting:
    given = flags.value(option.flag)
    if given is not None:
        return Setting(given, option.flag)
    variable = command.environment.get(option.variable)
    if variable is None:
        return Setting(option.default, f"the default of {option.flag}")
    if not variable.known:
        raise Undecided(f"the value of the variable {option.variable} is unknown")
    return Setting(variable.text, option.variable)
