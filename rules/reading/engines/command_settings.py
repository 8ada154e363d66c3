"""What an engine runs with whose every setting is an option: vLLM and SGLang.

A flag overrides the `--config` file, which overrides the default (vllm 0.20.1 vllm/utils/argparse_utils.py,
sglang 0.5.14 sglang/srt/server_args_config_parser.py). Names are spelt out, with dashes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from resource_graph import ResourceGraph, Value
from rules.reading.commands.flags import Flag, Flags
from rules.reading.commands.start_script import StartCommand
from rules.reading.engines.tensorrt_llm import Count, Setting
from rules.reading.pods.containers import EngineFileProblem, read_engine_file
from rules.reading.pods.workers import Worker
from rules.reading.shapes import whole_number


@dataclass(frozen=True, slots=True)
class OptionNames:
    """By which names an engine's options go."""

    engine: str
    """For messages: vLLM or SGLang."""
    known_by: Mapping[str, str]
    """Another name of an option -> the one to know it by."""
    whole: frozenset[str]
    """Options that are no short form of a longer one, though they begin like it."""


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What one worker's engine runs with, as far as flags and files say."""

    engine: str
    """For messages: vLLM or SGLang."""
    command: StartCommand
    flags: Flags
    """With dashes in their names, other names of one option replaced by one of them."""
    file: Mapping[str, Value]
    file_source: str

    def at(self, flag: str) -> Setting | None:
        """What an option such as `--kv-cache-dtype` is given; None where the engine's default acts.

        Raises:
            Undecided: it depends on something unknown.
        """
        given = self.flags.value(flag)
        if given is not None:
            return Setting(given, flag)
        key = flag.removeprefix("--")
        if key in self.file:
            return Setting(self.file[key], self.file_source)
        return None

    def setting(self, flag: str, default: Value) -> Setting:
        """The effective value, or the engine's default."""
        found = self.at(flag)
        return Setting(default, f"{self.engine}'s default") if found is None else found

    def count(self, flag: str, default: int) -> Count:
        """The effective value of an option that is a whole number."""
        setting = self.setting(flag, default)
        return Count(whole_number(setting.value, f"{flag} ({setting.source})"), setting.source)

    def switch(self, flag: str) -> bool | None:
        """Whether the switch or its `--no-` form is given; None where the engine's default acts."""
        given = self.flags.switch(flag)
        if given is not None:
            return given
        value = self.file.get(flag.removeprefix("--"))
        return value if isinstance(value, bool) else None

    def mapping(self, flag: str) -> Mapping[str, Value] | None:
        """The JSON object that an option is given, such as `--kv-transfer-config`.

        Raises:
            EngineFileProblem: it is no JSON object: the engine ends at start.
            Undecided: it depends on something unknown.
        """
        setting = self.at(flag)
        if setting is None or isinstance(setting.value, Mapping):
            return setting.value if setting is not None and isinstance(setting.value, Mapping) else None
        try:
            content: object = json.loads(str(setting.value))
        except (ValueError, RecursionError) as error:
            raise EngineFileProblem(f"{flag} is no JSON: {error}") from error
        if not isinstance(content, dict):
            raise EngineFileProblem(f"{flag} is not a JSON object")
        return cast("dict[str, Value]", content)


def read_settings(
    graph: ResourceGraph, worker: Worker, command: StartCommand, names: OptionNames
) -> CommandSettings:
    """The settings behind a command line and its `--config` file.

    Raises:
        EngineFileProblem: its --config file cannot be what the engine needs.
        Undecided: it depends on something unknown.
    """
    given = command.flags
    flags = Flags(tuple(_renamed(flag, names) for flag in given.all), given.complete, names.whole)
    path = flags.value("--config")
    if not path:
        return CommandSettings(names.engine, command, flags, {}, "")
    file = read_engine_file(graph, worker.resource, worker.pod, worker.container, path, written=command.files)
    content = {_spelt(f"--{key}", names).removeprefix("--"): value for key, value in file.content.items()}
    return CommandSettings(names.engine, command, flags, content, file.source)


def _renamed(flag: Flag, names: OptionNames) -> Flag:
    return Flag(_spelt(flag.name, names), flag.value)


def _spelt(name: str, names: OptionNames) -> str:
    dashed = f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name
    return names.known_by.get(dashed, dashed)
