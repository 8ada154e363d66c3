"""The settings that vLLM really runs with under `python3 -m dynamo.vllm` or `vllm serve`.

A flag overrides the `--config` file, which overrides the default (vllm 0.20.1 vllm/utils/argparse_utils.py).
Names may be written with dashes or underscores.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from resource_graph import ResourceGraph, Value
from rules.reading.commands.flags import Flag, Flags, parse_flags
from rules.reading.commands.start_script import DYNAMO_VLLM, VLLM_SERVE, StartCommand
from rules.reading.engines.tensorrt_llm import Count, Setting, single_command
from rules.reading.pods.containers import EngineFileProblem, read_engine_file
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, whole_number

_PROGRAMS = frozenset({DYNAMO_VLLM, VLLM_SERVE})
_SHORT = {"-tp": "--tensor-parallel-size", "-pp": "--pipeline-parallel-size", "-dp": "--data-parallel-size"}
# Others begin like it: --data-parallel-size-local.
_WHOLE_NAMES = frozenset({"--data-parallel-size"})


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """What one vLLM worker runs with, as far as flags and files say."""

    command: StartCommand
    flags: Flags
    """With dashes in their names, short ones spelt out."""
    file: Mapping[str, Value]
    file_source: str

    def at(self, flag: str) -> Setting | None:
        """What an option such as `--kv-cache-dtype` is given; None where vLLM's default acts.

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
        """The effective value, or vLLM's default."""
        found = self.at(flag)
        return Setting(default, "vLLM's default") if found is None else found

    def count(self, flag: str, default: int) -> Count:
        """The effective value of an option that is a whole number."""
        setting = self.setting(flag, default)
        return Count(whole_number(setting.value, f"{flag} ({setting.source})"), setting.source)

    def switch(self, flag: str) -> bool | None:
        """Whether the switch or its `--no-` form is given; None where vLLM's default acts."""
        given = self.flags.switch(flag)
        if given is not None:
            return given
        value = self.file.get(flag.removeprefix("--"))
        return value if isinstance(value, bool) else None

    def mapping(self, flag: str) -> Mapping[str, Value] | None:
        """The JSON object that an option is given, such as `--kv-transfer-config`.

        Raises:
            EngineFileProblem: it is no JSON object: vLLM ends at start.
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


def is_vllm(worker: Worker) -> bool:
    """Whether the worker starts vLLM, under Dynamo or on its own."""
    return any(command.engine in _PROGRAMS for command in worker.commands)


def read_vllm(graph: ResourceGraph, worker: Worker) -> VllmSettings:
    """The settings of a worker that starts exactly one vLLM engine.

    Raises:
        EngineFileProblem: its --config file cannot be what vLLM needs.
        Undecided: it starts another engine, or several.
    """
    command = single_command(worker)
    if command.engine not in _PROGRAMS:
        raise Undecided(f"starts {command.engine}, whose settings this does not read")
    given = parse_flags(command.arguments)
    flags = Flags(tuple(_spelt_out(flag) for flag in given.all), given.complete, _WHOLE_NAMES)
    path = flags.value("--config")
    if not path:
        return VllmSettings(command, flags, {}, "")
    file = read_engine_file(graph, worker.resource, worker.pod, worker.container, path)
    content = {key.replace("_", "-"): value for key, value in file.content.items()}
    return VllmSettings(command, flags, content, file.source)


def _spelt_out(flag: Flag) -> Flag:
    name = _SHORT.get(flag.name, flag.name)
    return Flag(f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name, flag.value)
