"""What differs between the lines of Dynamo's runtime image: engines, events, names, options and defects.

What is of one engine lies in its package (on_lines.py, flags.py, engine.py), options and their values in
`command_options`, tags of EFA images in `transport_setup`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engines.command_options import option_values
from engines.registry import COMMANDS, ON_LINES, WORKER_COMMANDS, Framework
from engines.release import (
    RELEASE_NOTES,
    WHEELS,
    Defect,
    ReleaseLine,
    Sourced,
    known_line_name,
    line_name,
    release_line,
)

LOST_TOOL_CALLS = Defect(
    "gpt-oss-120b puts about half of its tool calls on the analysis channel, and the frontend drops those",
    "take 1.4 where clients offer tools; `dynamo-stack smoke` asks for one call, which may come back",
    "inferred",
    "ai-dynamo/dynamo#10366 (47 % of real calls); PyPI packages ai-dynamo-runtime 1.2.1, which has no "
    "harmony_recovery, and 1.3.1, which has it",
)
"""Nobody has run it here: the mock engine calls no tool."""

CALLS_RECOVERED_SINCE: ReleaseLine = (1, 3)
"""First line that looks for calls on the analysis channel too."""

MODEL_OF_LOST_CALLS = "gpt-oss-120b"
"""Of gpt-oss-20b nobody has published how many."""


def lost_tool_calls(runtime_version: str, model: str) -> Defect | None:
    """Return LOST_TOOL_CALLS where the frontend of this release drops calls of this model."""
    if known_line_name(runtime_version) is None or model != MODEL_OF_LOST_CALLS:
        return None
    return LOST_TOOL_CALLS if release_line(runtime_version) < CALLS_RECOVERED_SINCE else None


EventPlane = Literal["nats", "zmq"]

_COMPATIBILITY = "ai-dynamo/dynamo docs, support matrix as published for 1.4.2, 1.5.1 and 1.6.1"


@dataclass(frozen=True, slots=True)
class RuntimeLine:
    """One line of the runtime: what its images have in common, and the image of it that is used."""

    version: Sourced[str]
    """Tag of the runtime images that a recipe gets on this line where it names no other."""
    event_plane: Sourced[EventPlane]
    """What carries events where neither an option nor DYN_EVENT_PLANE says so, beside Kubernetes or etcd."""
    runtime_option_changes: tuple[Sourced[str], ...]
    """How Dynamo's own options differ from those of the line before, a sentence each."""
    runtime_defects: tuple[Defect, ...]
    """Of the runtime, whatever the engine."""

    @property
    def name(self) -> str:
        """Major and minor version, such as 1.2."""
        return line_name(self.version.value)

    @property
    def engines(self) -> Sourced[Mapping[Framework, str]]:
        """Engine -> the release of it that the line's images carry."""
        releases: Mapping[Framework, str] = {
            name: lines[self.name].release for name, lines in ON_LINES.items()
        }
        return Sourced(releases, "read", f"{_COMPATIBILITY}; {WHEELS} (Requires-Dist)")

    @property
    def components(self) -> Sourced[Mapping[str, str]]:
        """Command of a worker -> name under which an aggregated or decode worker registers."""
        names = {WORKER_COMMANDS[name]: lines[self.name].registers_as for name, lines in ON_LINES.items()}
        return Sourced(names, "read", f"{WHEELS}: args.py of each command's package")

    def option_changes(self, engines: Collection[Framework] = tuple(ON_LINES)) -> tuple[Sourced[str], ...]:
        """Return how the command lines differ from those of the line before, a sentence each."""
        of_engines = (change for name in engines for change in ON_LINES[name][self.name].option_changes)
        return (*of_engines, *self.runtime_option_changes)

    def defects(self, engines: Collection[Framework] = tuple(ON_LINES)) -> tuple[Defect, ...]:
        """Return those of the engines, then those of the runtime."""
        of_engines = (defect for name in engines for defect in ON_LINES[name][self.name].defects)
        return (*of_engines, *self.runtime_defects)

    @property
    def request_planes(self) -> tuple[str, ...]:
        """Values of --request-plane."""
        return tuple(sorted(option_values("dynamo.frontend")["--request-plane"].by_line[self._line]))

    def disaggregation_modes(self, command: str) -> tuple[str, ...]:
        """Return the words that --disaggregation-mode of a worker's command takes."""
        by_line = COMMANDS[command].disaggregation_modes
        return by_line[max(line for line in by_line if line <= self._line)]

    @property
    def _line(self) -> tuple[int, int]:
        return release_line(self.version.value)


_FRONTEND_ARGUMENTS = f"{WHEELS}: dynamo/frontend/frontend_args.py"

RUNTIME_LINES: Mapping[str, RuntimeLine] = MappingProxyType(
    {
        "1.2": RuntimeLine(
            version=Sourced("1.2.1", "read", "ai-dynamo/dynamo release 1.2.1 (container images)"),
            event_plane=Sourced("nats", "measured", "PyPI package ai-dynamo 1.2.1, --help of its commands"),
            runtime_option_changes=(),
            runtime_defects=(
                LOST_TOOL_CALLS,
                Defect(
                    "the KV cache of disaggregated workers does not travel over EFA on GB200",
                    "kvTransport efa is refused there: choose mnnvl, or a later line",
                    "read",
                    f"{RELEASE_NOTES} of 1.2",
                ),
            ),
        ),
        "1.4": RuntimeLine(
            version=Sourced("1.4.2", "read", "ai-dynamo/dynamo release 1.4.2 (container images)"),
            event_plane=Sourced("zmq", "measured", "PyPI package ai-dynamo 1.4.2, --help of its frontend"),
            runtime_option_changes=(
                Sourced(
                    "dynamo.frontend: --enforce-disagg is accepted and ignored; --router-queue-threshold has "
                    "no default; --durable-kv-events, --router-durable-kv-events, --router-reset-states and "
                    "--router-snapshot-threshold are gone",
                    "read",
                    _FRONTEND_ARGUMENTS,
                ),
                Sourced("request plane http is gone", "read", _FRONTEND_ARGUMENTS),
            ),
            runtime_defects=(
                Defect(
                    "after a topology that was ambiguous for a moment the router serves aggregated for good, "
                    "with HTTP 200",
                    "run `dynamo-stack smoke` after each rollout of a disaggregated recipe; a restart of the "
                    "frontends is the only way back",
                    "read",
                    f"{RELEASE_NOTES} of 1.4 (known issues, no workaround)",
                ),
                Defect(
                    "a GB200 pod with a part of its node's EFA devices cannot transfer",
                    "a worker that uses EFA there asks for all of them",
                    "read",
                    f"{RELEASE_NOTES} of 1.3 and 1.4 (known issues)",
                ),
                Defect(
                    "workers of 1.3 or older and of 1.4 do not read each other's events",
                    "while a stack is updated to this line, KV-aware routing sees the new workers alone",
                    "read",
                    "ai-dynamo/dynamo#11841",
                ),
            ),
        ),
    }
)
"""Line -> what is known of it."""
