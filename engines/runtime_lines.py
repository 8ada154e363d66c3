"""What the product decides by of the lines of Dynamo's runtime image: tags, events and lost tool calls.

docs/versions.md says what else is known of them. What is of one engine lies in its package, options and their
values in `command_options`, tags of EFA images in `transport_setup`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.release import ReleaseLine, known_line_name, release_line

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
    if known_line_name(runtime_version) is None or model != MODEL_OF_LOST_CALLS:
        return False
    return release_line(runtime_version) < CALLS_RECOVERED_SINCE


RUNTIME_TAGS: Mapping[str, str] = MappingProxyType({"1.2": "1.2.1", "1.4": "1.4.2"})
"""Line -> tag of the runtime images that a recipe gets on it where it names no other.

Source: ai-dynamo/dynamo releases 1.2.1 and 1.4.2 (container images).
"""

EVENTS_THROUGH_NATS = "1.2"
"""The line whose events go through NATS where neither an option nor DYN_EVENT_PLANE says so.

Source: PyPI package ai-dynamo 1.2.1, --help of its commands; that of 1.4.2 says zmq.
"""
