"""What a worker's engine runs with, as its command line, variables and files say, each with its place.

TensorRT-LLM, each overriding the one before: the flag's default, its environment variable, the flag, the
engine file, then `--override-engine-args` or `--trtllm.<key>` (ai-dynamo 1.2.1,
dynamo/trtllm/workers/llm_worker.py; `trtllm-serve` ends with its file). Keys of the file replace top-level
settings; only `kv_cache_config` is merged key by key. An override replaces a whole top-level block.

vLLM, every setting of which is an option: a flag overrides the `--config` file, which overrides the default
(vllm 0.20.1 vllm/utils/argparse_utils.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from engines.command_line import (
    UNKNOWN_WORD,
    Count,
    Environment,
    Flag,
    Flags,
    Setting,
    Undecided,
    variable_in,
    whole_number,
)
from engines.tensorrt_llm.keys import DYNAMIC_PREFIX, FILE_OPTIONS, OPTIONS, OVERRIDE_ENGINE_ARGS, Option
from engines.tensorrt_llm.options import TensorRtLlmOptions
from engines.vllm.options import VllmOptions

TENSORRT_LLM = frozenset(OPTIONS)
"""Modules and programs that start TensorRT-LLM."""
VLLM = frozenset({"dynamo.vllm", "vllm"})
_SWITCHED_ON = frozenset({"1", "true", "yes", "on"})
_SHORT_NAMES_OF_VLLM = {
    "-ac": "--attention-config",
    "-asc": "--api-server-count",
    "-cc": "--compilation-config",
    "-dcp": "--decode-context-parallel-size",
    "-dp": "--data-parallel-size",
    "-dpa": "--data-parallel-address",
    "-dpb": "--data-parallel-backend",
    "-dpe": "--data-parallel-external-lb",
    "-dph": "--data-parallel-hybrid-lb",
    "-dpl": "--data-parallel-size-local",
    "-dpn": "--data-parallel-rank",
    "-dpp": "--data-parallel-rpc-port",
    "-dpr": "--data-parallel-start-rank",
    "-ep": "--enable-expert-parallel",
    "-n": "--nnodes",
    "-pcp": "--prefill-context-parallel-size",
    "-pp": "--pipeline-parallel-size",
    "-q": "--quantization",
    "-r": "--node-rank",
    "-sc": "--speculative-config",
    "-tp": "--tensor-parallel-size",
}
# --data-parallel-size-local and --reasoning-parser-plugin begin like them.
_WHOLE_NAMES_OF_VLLM = frozenset({"--data-parallel-size", "--reasoning-parser"})
# What follows from the model or the service's role (PyPI package ai-dynamo 1.2.1, argparse).
_NO_OPTIONS_OF_VLLM = frozenset({"--config", "--quantization", "--is-prefill-worker", "--is-decode-worker"})
_PATHS = {flag: option.setting for option in OPTIONS["dynamo.trtllm"].values() for flag in option.flags}


class EngineFileProblem(Undecided):
    """An engine file that was read but cannot serve as one: the engine would not start."""


@dataclass(frozen=True, slots=True)
class EngineFile:
    """What an engine reads from a mounted ConfigMap, a file of its start script or a JSON option."""

    source: str
    """Name of the file, for messages: `decode.yaml of ConfigMap engine-config`."""
    content: Mapping[str, Any]
    typed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Option -> the stack's setting that decides it."""

    def source_of(self, path: Sequence[str]) -> str:
        """The setting that decides an option, or the file's name."""
        return self.typed.get(".".join(path), self.source)

    def at(self, path: Sequence[str]) -> Setting | None:
        """The value at a path; None where the file has none."""
        current: Any = self.content
        for index, key in enumerate(path):
            if current is None:
                return None
            if not isinstance(current, Mapping):
                raise Undecided(f"{'.'.join(path[:index])} in {self.source} is {current!r}, not a mapping")
            current = cast("Mapping[str, Any]", current).get(key)
        return None if current is None else Setting(current, self.source_of(path))


NO_FILE = EngineFile("", {})


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings of one worker's engine, by the names that the engine itself gives them."""

    command: str
    """Module or program that starts the engine."""
    flags: Flags
    environment: Environment
    file: EngineFile
    """Its content by the same names; empty where the command names no file."""
    overrides: EngineFile = NO_FILE

    @property
    def is_vllm(self) -> bool:
        """Whether it is vLLM; TensorRT-LLM otherwise."""
        return self.command in VLLM

    def at(self, *path: str) -> Setting | None:
        """The effective value of a setting, or a flag's default; None where the engine's default acts."""
        if self.is_vllm:
            flag = flag_of(path[0])
            given = self.flags.value(flag)
            value = self.flags.switch(flag) if given is None else given
            return self.file.at(path) if value is None else Setting(value, flag)
        if path[0] in self.overrides.content:
            return self.overrides.at(path)
        found = self.file.at(path)
        if found is not None or (path[0] in self.file.content and path[0] != "kv_cache_config"):
            return found
        option = OPTIONS[self.command].get(path)
        setting = None if option is None else option_value(self.flags, self.environment, option)
        return None if setting is None or setting.value is None else setting

    def setting(self, *path: str, default: Any) -> Setting:
        """The effective value, or the engine's default."""
        return self.at(*path) or Setting(default, f"{'vLLM' if self.is_vllm else 'the engine'}'s default")

    def text(self, *path: str, default: str) -> Setting:
        """The effective value of a setting that is a text, or the engine's default."""
        setting = self.setting(*path, default=default)
        if not isinstance(setting.value, str):
            raise Undecided(f"{'.'.join(path)} in {setting.source} is {setting.value!r}, not a text")
        return setting

    def count(self, *path: str, default: int) -> Count:
        """The effective value of a setting that is a whole number, or the engine's default."""
        setting = self.setting(*path, default=default)
        return Count(whole_number(setting.value, f"{'.'.join(path)} in {setting.source}"), setting.source)

    def given_count(self, *path: str) -> Count | None:
        """The effective value of a setting that is a whole number; None where the engine's default acts."""
        return None if self.at(*path) is None else self.count(*path, default=0)

    def switch(self, *path: str, default: bool = False) -> bool:
        """The effective value of a setting that is true or false."""
        setting = self.setting(*path, default=default)
        if isinstance(setting.value, bool):
            return setting.value
        if isinstance(setting.value, str):
            return setting.value.lower() in _SWITCHED_ON
        raise Undecided(f"{'.'.join(path)} in {setting.source} is {setting.value!r}, not true or false")

    def mapping(self, *path: str) -> Mapping[str, Any] | None:
        """The mapping that a setting is given, such as vLLM's kv_transfer_config.

        Raises:
            EngineFileProblem: it is no JSON object: the engine ends at start.
        """
        setting = self.at(*path)
        if setting is None or isinstance(setting.value, Mapping):
            return None if setting is None else cast("Mapping[str, Any]", setting.value)
        return json_object(str(setting.value), flag_of(path[0]))


def effective(command: str, flags: Flags, environment: Environment, file: EngineFile = NO_FILE) -> Effective:
    """Return what an engine runs with.

    Args:
        command: module or program that starts it.
        flags: of its command line.
        environment: variables that it sees.
        file: its engine file, which `engine_file_path` names.

    Raises:
        EngineFileProblem: an override cannot be what the engine needs.

    """
    if command in VLLM:
        content = {
            _spelt(f"--{key}").removeprefix("--").replace("-", "_"): value
            for key, value in file.content.items()
        }
        renamed = tuple(Flag(_spelt(flag.name), flag.value) for flag in flags.all)
        flags = Flags(renamed, flags.complete, _WHOLE_NAMES_OF_VLLM)
        return Effective(command, flags, environment, replace(file, content=content))
    return Effective(command, flags, environment, file, _overrides(command, flags, environment))


def engine_file_path(command: str, flags: Flags, environment: Environment) -> str | None:
    """Return where the command says that its engine file is; None where it names none."""
    if command in VLLM:
        return flags.value("--config")
    return option_value(flags, environment, FILE_OPTIONS[command]).value or None


def option_value(flags: Flags, environment: Environment, option: Option) -> Setting:
    """Return what an option of TensorRT-LLM is given: by flag, by its variable, or its default."""
    name = option.flags[0]
    if option.is_switch:
        is_on = flags.switch(name)
        given = None if is_on is None else Setting(is_on, name)
    else:
        given = flags.setting(*option.flags)
    if given is not None:
        return given
    text = None if option.variable is None else variable_in(environment, option.variable)
    if text is None:
        return Setting(option.default, f"the default of {name}")
    return Setting(text.lower() in _SWITCHED_ON if option.is_switch else text, str(option.variable))


def json_object(text: str, option: str) -> Mapping[str, Any]:
    """Return the JSON object that an option is given.

    Raises:
        EngineFileProblem: it is none: the engine ends at start.

    """
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineFileProblem(f"{option} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise EngineFileProblem(f"{option} is not a JSON object")
    return cast("dict[str, Any]", content)


def decided_option(command: str, flag: str) -> Sequence[str] | None:
    """Return the path of the engine option that a worker's flag decides.

    Empty where the flag may decide any of them, or what follows from the model and the role; None where it
    decides none. Those of model and role that every engine has are refused before this is asked.
    """
    if command in VLLM:
        name = flag.lstrip("-").replace("-", "_")
        names = [each for each in (name, name.removeprefix("no_")) if each in VllmOptions.model_fields]
        return names[:1] or (() if flag in _NO_OPTIONS_OF_VLLM else None)
    path = _PATHS.get(flag) or tuple(flag.removeprefix(DYNAMIC_PREFIX).split("."))
    if path[0] in TensorRtLlmOptions.model_fields:
        return path
    return () if flag in (*FILE_OPTIONS["dynamo.trtllm"].flags, *OVERRIDE_ENGINE_ARGS.flags) else None


def option_variables(command: str) -> Mapping[str, Sequence[str]]:
    """Return variable -> path of the engine option that it sets, empty where it may set any of them."""
    if command in VLLM:
        return {}
    options = (*OPTIONS[command].values(), FILE_OPTIONS[command], OVERRIDE_ENGINE_ARGS)
    return {option.variable: option.setting for option in options if option.variable is not None}


def flag_of(name: str) -> str:
    """Return a setting of vLLM as it stands on a command line."""
    return f"--{name.replace('_', '-')}"


def _spelt(flag: str) -> str:
    dashed = flag_of(flag[2:]) if flag.startswith("--") else flag
    return _SHORT_NAMES_OF_VLLM.get(dashed, dashed)


def _overrides(command: str, flags: Flags, environment: Environment) -> EngineFile:
    if command == "trtllm-serve":
        return NO_FILE
    text = option_value(flags, environment, OVERRIDE_ENGINE_ARGS).value
    name = OVERRIDE_ENGINE_ARGS.flags[0]
    dynamic = [flag for flag in flags.all if flag.name.startswith(DYNAMIC_PREFIX)]
    if isinstance(text, str) and text:
        if dynamic:
            raise EngineFileProblem(f"{name} and {DYNAMIC_PREFIX}* exclude each other")
        return EngineFile(name, json_object(text, name))
    overrides: dict[str, Any] = {}
    for flag in dynamic:
        *blocks, last = flag.name.removeprefix(DYNAMIC_PREFIX).split(".")
        block = overrides
        for key in blocks:
            inner = block.get(key)
            block[key] = inner = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
            block = inner
        block[last] = (flag.value or UNKNOWN_WORD).value(flag.name)
    return EngineFile(f"{DYNAMIC_PREFIX}*", overrides)
