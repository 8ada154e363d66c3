"""Release lines of Dynamo's runtime: facts of a release, and the options of its commands, with their sources.

docs/versions.md says what else is known of the lines. What is of one engine lies in its package, tags of EFA
images in `transport_setup`.

An option that a command does not know ends it at start, and so does a value outside an option's choices. The
options of Dynamo's commands and of `vllm serve` lie in command_options.json: command -> the lines that have
the words, such as "1.2 1.3" -> the words.

Read from the PyPI packages ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.0 (argparse of dynamo.trtllm,
dynamo.vllm and dynamo.frontend), with the vllm that each names: 0.20.1, 0.23.0, 0.26.0, 0.28.0 and 0.31.0
(vllm/engine/arg_utils.py, vllm/config/load.py, vllm/v1/attention/backends/registry.py,
vllm/distributed/kv_transfer/kv_connector/factory.py; for vllm serve its cli_args.py in
vllm/entrypoints/openai, since 0.31.0 in launchers). The names of parsers are what get_tool_parser_names and
get_reasoning_parser_names of dynamo._core answered in 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

ReleaseLine = tuple[int, int]
"""Major and minor version."""
_LINE = re.compile(r"([0-9]+)\.([0-9]+)\.")


def release_line(runtime_version: str) -> ReleaseLine:
    """Return major and minor version of an image tag such as 1.2.1.

    Raises:
        ValueError: the tag does not begin with a release's number.

    """
    found = _LINE.match(runtime_version)
    if found is None:
        raise ValueError(f"{runtime_version} is no release of the runtime image, such as 1.2.1")
    return int(found[1]), int(found[2])


def line_name(runtime_version: str) -> str:
    """Return the release line as recipes and settings write it, such as 1.2.

    Raises:
        ValueError: the tag does not begin with a release's number.

    """
    return ".".join(str(number) for number in release_line(runtime_version))


def known_line_name(runtime_version: str) -> str | None:
    """Return the release line of a tag; None for a tag that is no release's."""
    return line_name(runtime_version) if _LINE.match(runtime_version) else None


def release_name(tag: str) -> str | None:
    """Return the release in a tag: 1.2.1 of 1.2.1-ours; None where it has none."""
    found = re.match(r"[0-9]+\.[0-9]+\.[0-9]+", tag)
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Workaround:
    """One environment variable that keeps a worker away from a known defect."""

    name: str
    value: str
    why: str
    source: str


WITHOUT_MNNVL_IN_NCCL = Workaround(
    "NCCL_MNNVL_ENABLE",
    "0",
    "NCCL finds NVLink between nodes, and stops at model load in a pod without an IMEX channel; within a "
    "node it needs none",
    "NVIDIA/nccl#1925",
)

LOST_TOOL_CALLS = (
    "gpt-oss-120b puts about half of its tool calls on the analysis channel, and the frontend drops those"
)
"""Inferred: nobody has run it here, as the mock engine calls no tool."""
LOST_TOOL_CALLS_ACTION = (
    "take 1.4 where clients offer tools; `dynamo-stack smoke` asks for one call, which may come back"
)
LOST_TOOL_CALLS_SOURCE = (
    "ai-dynamo/dynamo#10366 (47 % of real calls); PyPI packages ai-dynamo-runtime 1.2.1, which has no "
    "harmony_recovery, and 1.3.1, which has it"
)

CALLS_RECOVERED_SINCE: ReleaseLine = (1, 3)
"""First line that looks for calls on the analysis channel too."""

MODEL_OF_LOST_CALLS = "gpt-oss-120b"
"""Of gpt-oss-20b nobody has published how many."""


def loses_tool_calls(runtime_version: str, model: str) -> bool:
    """Whether the frontend of this release drops calls of this model; of a tag of others nobody knows."""
    is_known = known_line_name(runtime_version) is not None and model == MODEL_OF_LOST_CALLS
    return is_known and release_line(runtime_version) < CALLS_RECOVERED_SINCE


RUNTIME_TAGS: Mapping[str, str] = {"1.2": "1.2.1", "1.4": "1.4.2"}
"""Line -> tag of the runtime images that a recipe gets on it where it names no other.

Source: ai-dynamo/dynamo releases 1.2.1 and 1.4.2 (container images).
"""

EVENTS_THROUGH_NATS = "1.2"
"""The line whose events go through NATS where neither an option nor DYN_EVENT_PLANE says so.

Source: PyPI package ai-dynamo 1.2.1, --help of its commands; that of 1.4.2 says zmq.
"""


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


_STORE_KV = {"--store-kv": "write --discovery-backend"}
"""An option that every command of Dynamo's runtime had (argparse of the PyPI package ai-dynamo 1.2.1)."""
_PREFILL_AND_DECODE = ("prefill_and_decode", "prefill", "decode", "encode")

COMMANDS: Mapping[str, CommandWords] = {
    "dynamo.frontend": CommandWords(removed=_STORE_KV),
    "dynamo.trtllm": CommandWords(
        removed={
            "--disaggregation-strategy": "leave it out: every disaggregated request starts in prefill",
            **_STORE_KV,
        },
        prefixes=("--trtllm.", "--dit-"),
        disaggregation_modes={
            (0, 6): _PREFILL_AND_DECODE,
            (1, 3): ("agg", "pd", *_PREFILL_AND_DECODE),
            (1, 4): ("agg", "pd", "prefill", "decode", "encode"),
        },
    ),
    "trtllm-serve": CommandWords(
        removed={"--moe_backend": "write moe_config.backend in the engine file"},
        deprecated={"--moe_cluster_parallel_size": "leave it out", "--revision": "write --hf_revision"},
    ),
    "dynamo.vllm": CommandWords(
        removed={"--connector": "write --kv-transfer-config with a kv_connector", **_STORE_KV},
        deprecated={
            "--is-prefill-worker": "write --disaggregation-mode prefill",
            "--is-decode-worker": "write --disaggregation-mode decode",
        },
        disaggregation_modes={
            (1, 0): ("agg", "prefill", "decode"),
            (1, 1): ("agg", "prefill", "decode", "encode"),
            (1, 3): ("agg", "pd", "prefill", "decode", "encode"),
        },
    ),
}
"""Command -> what is told of its options by hand."""


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


@cache
def number_options(command: str) -> Mapping[str, bool]:
    """Options that take whole numbers, in every line that was read -> whether the number may end in a unit.

    The others argparse reads; those with units, such as 4k or 1.5m, are vLLM's own (human_readable_int).
    """
    data, of = _read(), _values_of(command)
    return {
        f"--{name}": takes_units
        for kind, takes_units in (("numbers", False), ("sizes", True))
        for name in data[kind].get(of, "").split()
    }


@cache
def kv_connectors(command: str) -> Vocabulary:
    """What --kv-transfer-config may call a connector of the engine; others come with their module's path."""
    return _vocabulary(_read()["connectors"][command], "")


def _values_of(command: str) -> str:
    """Return the command whose values it takes: both hand what is not their own to the same engine."""
    return _read()["valuesOf"].get(command, command)


def _vocabulary(words: Mapping[str, str], prefix: str) -> Vocabulary:
    by_line: dict[ReleaseLine, set[str]] = {}
    for lines, names in words.items():
        for line in lines.split():
            major, minor = map(int, line.split("."))
            by_line.setdefault((major, minor), set()).update(f"{prefix}{name}" for name in names.split())
    return Vocabulary({line: frozenset(names) for line, names in by_line.items()})


@cache
def _read() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_name("command_options.json").read_text(encoding="utf-8"))
