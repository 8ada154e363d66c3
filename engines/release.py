"""Release lines of the Dynamo runtime, and facts of a release together with what stands behind them.

docs/versions.md says what else is known of the lines. What is of one engine lies in its package, options and
their values in `command_options`, tags of EFA images in `transport_setup`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
