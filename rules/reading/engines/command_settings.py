"""What an engine runs with whose every setting is an option: vLLM and SGLang.

A flag overrides the `--config` file, which overrides the default (vllm 0.20.1 vllm/utils/argparse_utils.py,
sglang 0.5.14 sglang/srt/server_args_config_parser.py). Names are spelt out, with dashes.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import cast

from resource_graph import ResourceGraph, Value
from rules.reading.commands.container_commands import (
    DYNAMO_SGLANG,
    DYNAMO_VLLM,
    ENGINES,
    VLLM_SERVE,
    StartCommand,
)
from rules.reading.commands.words import Flag, Flags
from rules.reading.engines.engine_yaml import EngineFile, EngineFileProblem, read_engine_file
from rules.reading.memoized import memoized_for_each
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Count, Setting, Undecided, whole_number


def single_command(worker: Worker, programs: Collection[str] = ENGINES) -> StartCommand:
    """The one engine that the worker starts."""
    command = next(iter(worker.commands), None)
    if command is None:
        raise Undecided(f"asks for {worker.gpus_per_pod} GPUs, but no engine is seen in command or args")
    if len(worker.commands) > 1:
        raise Undecided(f"starts {len(worker.commands)} engines in one container, which this does not follow")
    if command.engine not in programs:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    return command


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Names of an engine's options, and which of them mean the same option."""

    engine: str
    """Name of the engine, for messages: vLLM or SGLang."""
    programs: frozenset[str]
    known_by: Mapping[str, str]
    """Other name of an option -> the name that the option is known by here."""
    whole: frozenset[str]
    """Names of options that are no short form of a longer option, though they begin like one."""

    def spelt(self, name: str) -> str:
        """The option's name with dashes; where it has several, the one that it is known by here."""
        dashed = f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name
        return self.known_by.get(dashed, dashed)


_VLLM = OptionNames(
    engine="vLLM",
    programs=frozenset({DYNAMO_VLLM, VLLM_SERVE}),
    known_by={
        "-tp": "--tensor-parallel-size",
        "-pp": "--pipeline-parallel-size",
        "-dp": "--data-parallel-size",
    },
    # Others begin like it: --data-parallel-size-local.
    whole=frozenset({"--data-parallel-size"}),
)
# Names of one option, and the abbreviations that guides use (sglang 0.5.14 sglang/srt/server_args.py).
_SGLANG = OptionNames(
    engine="SGLang",
    programs=frozenset({DYNAMO_SGLANG}),
    known_by={
        "--tp": "--tensor-parallel-size",
        "--tp-size": "--tensor-parallel-size",
        "--pp": "--pipeline-parallel-size",
        "--pp-size": "--pipeline-parallel-size",
        "--dp": "--data-parallel-size",
        "--dp-size": "--data-parallel-size",
        "--ep": "--expert-parallel-size",
        "--ep-size": "--expert-parallel-size",
        "--model-path": "--model",
    },
    # Others begin like them: --model-loader-extra-config, --quantization-param-path.
    whole=frozenset({"--model", "--quantization"}),
)


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What one worker's engine runs with, as far as flags and files say."""

    engine: str
    """Name of the engine, for messages: vLLM or SGLang."""
    command: StartCommand
    flags: Flags
    """Options of the command, with dashes in their names and one name for each option."""
    file: EngineFile

    def at(self, flag: str) -> Setting | None:
        """What an option such as `--kv-cache-dtype` is given; None where the engine's default acts."""
        given = self.flags.value(flag)
        if given is not None:
            return Setting(given, flag)
        key = flag.removeprefix("--")
        if key in self.file.content:
            return Setting(self.file.content[key], self.file.source_of([key.replace("-", "_")]))
        return None

    def setting(self, flag: str, default: Value) -> Setting:
        """The effective value, or the engine's default."""
        found = self.at(flag)
        return Setting(default, f"{self.engine}'s default") if found is None else found

    def count(self, flag: str, default: int) -> Count:
        """The effective value of an option that is a whole number."""
        setting = self.setting(flag, default)
        return Count(whole_number(setting.value, f"{flag} ({setting.source})"), setting.source)

    def given_count(self, flag: str) -> Count | None:
        """The effective value of an option that is a whole number; None where the engine's default acts."""
        return None if self.at(flag) is None else self.count(flag, 0)

    def switch(self, flag: str) -> bool | None:
        """The effective value of a switch and its `--no-` form; None where the engine's default acts."""
        given = self.flags.switch(flag)
        if given is not None:
            return given
        value = self.file.content.get(flag.removeprefix("--"))
        return value if isinstance(value, bool) else None

    def mapping(self, flag: str) -> Mapping[str, Value] | None:
        """The JSON object that an option is given, such as `--kv-transfer-config`.

        Raises:
            EngineFileProblem: it is no JSON object: the engine ends at start.
        """
        setting = self.at(flag)
        if setting is None:
            return None
        return setting.value if isinstance(setting.value, Mapping) else json_object(str(setting.value), flag)


def is_vllm(worker: Worker) -> bool:
    """Whether the worker starts vLLM, under Dynamo or on its own."""
    return worker.starts(_VLLM.programs)


@memoized_for_each
def read_vllm(graph: ResourceGraph, worker: Worker) -> CommandSettings:
    """The settings of a worker that starts exactly one vLLM engine.

    Raises:
        EngineFileProblem: its --config file cannot be what vLLM needs.
    """
    return _read(graph, worker, _VLLM)


def is_sglang(worker: Worker) -> bool:
    """Whether the worker starts SGLang under Dynamo."""
    return worker.starts(_SGLANG.programs)


@memoized_for_each
def read_sglang(graph: ResourceGraph, worker: Worker) -> CommandSettings:
    """The settings of a worker that starts exactly one SGLang engine.

    Raises:
        EngineFileProblem: its --config file cannot be what SGLang needs.
    """
    settings = _read(graph, worker, _SGLANG)
    if settings.at("--disagg-config") is not None:
        raise Undecided("its settings come from --disagg-config, which this does not follow")
    return settings


def json_object(text: str, option: str) -> Mapping[str, Value]:
    """The JSON object that an option is given.

    Raises:
        EngineFileProblem: it is none: the engine ends at start.
    """
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineFileProblem(f"{option} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise EngineFileProblem(f"{option} is not a JSON object")
    return cast("dict[str, Value]", content)


def _read(graph: ResourceGraph, worker: Worker, names: OptionNames) -> CommandSettings:
    command = single_command(worker, names.programs)
    given = command.flags
    renamed = tuple(Flag(names.spelt(flag.name), flag.value) for flag in given.all)
    flags = Flags(renamed, given.complete, names.whole)
    file = read_engine_file(graph, worker, flags.value("--config"), written=command.files)
    content = {names.spelt(f"--{key}").removeprefix("--"): value for key, value in file.content.items()}
    return CommandSettings(names.engine, command, flags, replace(file, content=content))
