"""Options of Dynamo's commands and `vllm serve` and their values, as each release line of Dynamo has them.

An option that a command does not know ends it at start, and so does a value outside an option's choices. The
data lies in command_options.json: command -> the lines that have the words, such as "1.2 1.3" -> the words.

Read from the PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.0 (argparse of dynamo.trtllm,
dynamo.vllm and dynamo.frontend), with the vllm that each names: 0.20.1, 0.23.0, 0.26.0, 0.28.0 and 0.31.0
(vllm/engine/arg_utils.py, vllm/config/load.py, vllm/v1/attention/backends/registry.py,
vllm/distributed/kv_transfer/kv_connector/factory.py; for vllm serve its cli_args.py in
vllm/entrypoints/openai, since 0.31.0 in launchers). The names of parsers are what get_tool_parser_names and
get_reasoning_parser_names of dynamo._core answered in 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from engines.release import ReleaseLine


@dataclass(frozen=True, slots=True)
class CommandWords:
    """Words of one command."""

    removed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Option that older guides name -> what to write instead."""
    deprecated: Mapping[str, str] = field(default_factory=dict[str, str])
    """Option that still works -> what to write instead."""
    prefixes: tuple[str, ...] = ()
    """How further options begin."""
    disaggregation_modes: Mapping[ReleaseLine, tuple[str, ...]] = field(
        default_factory=dict[ReleaseLine, tuple[str, ...]]
    )
    """Release line from which on -> values of --disaggregation-mode; empty for a command without it.

    PyPI packages ai-dynamo 0.6.1, 0.7.1, 0.8.1, 0.9.1, 1.0.2, 1.1.1, 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1:
    backend_args.py of the command's package, and where 0.x has it."""


STORE_KV = {"--store-kv": "write --discovery-backend"}
"""An option that every command of Dynamo's runtime had (argparse of the PyPI package ai-dynamo 1.2.1)."""


@dataclass(frozen=True)
class Vocabulary:
    """Words that some lines of a command have: its options, or the values of one of them."""

    by_line: Mapping[ReleaseLine, frozenset[str]]

    @cached_property
    def of_any_line(self) -> frozenset[str]:
        """What at least one line has."""
        return frozenset[str]().union(*self.by_line.values())

    @cached_property
    def of_every_line(self) -> frozenset[str]:
        """What no line lacks."""
        return frozenset[str].intersection(*self.by_line.values())


@cache
def command_options(command: str) -> Vocabulary | None:
    """The options of a command, with their dashes; None for a command that was not read.

    A switch also has a form with `--no-`.
    """
    words = _read()["options"].get(command)
    return None if words is None else _vocabulary(words, "--")


@cache
def option_values(command: str) -> Mapping[str, Vocabulary]:
    """Option -> the values that it takes, for options with a closed set of them."""
    options: Mapping[str, Mapping[str, str]] = _read()["values"].get(_values_of(command), {})
    return {f"--{option}": _vocabulary(words, "") for option, words in options.items()}


def number_options(command: str) -> frozenset[str]:
    """Options that argparse makes whole numbers of, in every line that was read."""
    return _names("numbers", command)


def size_options(command: str) -> frozenset[str]:
    """Options of vLLM whose numbers may end in a unit, such as 4k or 1.5m (human_readable_int)."""
    return _names("sizes", command)


@cache
def kv_connectors(command: str) -> Vocabulary:
    """What --kv-transfer-config may call a connector of the engine; others come with their module's path."""
    return _vocabulary(_read()["connectors"][command], "")


def _values_of(command: str) -> str:
    """Return the command whose values it takes: both hand what is not their own to the same engine."""
    return _read()["valuesOf"].get(command, command)


@cache
def _names(kind: str, command: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in _read()[kind].get(_values_of(command), "").split())


def _vocabulary(words: Mapping[str, str], prefix: str) -> Vocabulary:
    by_line: dict[ReleaseLine, set[str]] = {}
    for lines, names in words.items():
        for line in lines.split():
            major, minor = map(int, line.split("."))
            by_line.setdefault((major, minor), set()).update(f"{prefix}{name}" for name in names.split())
    return Vocabulary({line: frozenset(names) for line, names in by_line.items()})


@cache
def _read() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
