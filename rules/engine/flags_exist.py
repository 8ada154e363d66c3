"""Every option on a command line is one that its command has."""

import difflib
from collections.abc import Iterable, Iterator, Mapping

from hardware import (
    DYNAMO_FLAG_PREFIXES,
    DYNAMO_FLAGS,
    DYNAMO_FLAGS_LINE,
    REMOVED_FLAGS,
    TRTLLM_SERVE_FLAGS,
    TRTLLM_SERVE_FLAGS_LINE,
)
from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.commands.flags import parse_flags
from rules.reading.commands.start_script import TRTLLM_SERVE, StartCommand
from rules.reading.pods.frontends import Frontend, read_frontends
from rules.reading.pods.images import read_image
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided

_SHORT = frozenset({"-i", "-h"})
_SHORTEST = 4
"""Characters that an abbreviation has, dashes included, so that it means something."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_workers(graph, _check_worker)
    for frontend in read_frontends(graph):
        if isinstance(frontend, Frontend):
            yield from _check_frontend(frontend)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    for command in worker.commands:
        yield from _check_command(worker.resource, worker.name, worker.container, command)


def _check_frontend(frontend: Frontend) -> Iterator[Observation]:
    try:
        yield from _check_command(frontend.resource, frontend.name, frontend.container, frontend.command)
    except Undecided as reason:
        yield undecided(frontend.resource, frontend.name, str(reason))


def _check_command(
    resource: Resource, name: str, container: Mapping[str, Value], command: StartCommand
) -> Iterator[Observation]:
    unknown = list(_unknown_flags(command))
    if not unknown:
        return
    image = read_image(container)
    line = None if image is None else image.line
    read = TRTLLM_SERVE_FLAGS_LINE if command.engine == TRTLLM_SERVE else DYNAMO_FLAGS_LINE
    release = ".".join(str(part) for part in read)
    for flag, hint in unknown:
        message = f"{flag} is no option of {command.engine} {release}{hint}"
        if line == read:
            yield failed(resource, name, message)
        else:
            shown = "an unnamed image" if image is None else f"image {image.text}"
            yield undecided(resource, name, f"{message}; whether {shown} has it is not known")


def _unknown_flags(command: StartCommand) -> Iterator[tuple[str, str]]:
    removed = REMOVED_FLAGS.get(command.engine, {})
    known = DYNAMO_FLAGS.get(command.engine)
    prefixes = DYNAMO_FLAG_PREFIXES.get(command.engine, ())
    for flag in dict.fromkeys(flag.name for flag in parse_flags(command.arguments).all):
        if flag in removed:
            yield flag, f": {removed[flag]}"
        elif command.engine == TRTLLM_SERVE:
            # Not all of its options are listed, but all of them have underscores.
            right = f"--{flag[2:].replace('-', '_')}"
            if right != flag and right in TRTLLM_SERVE_FLAGS:
                yield flag, f": write {right}"
        elif (
            known is not None
            and flag not in _SHORT
            and not flag.startswith(prefixes)
            and not _is_known(flag, known)
        ):
            yield flag, _nearest(flag, known)


def _is_known(flag: str, known: frozenset[str]) -> bool:
    positive = f"--{flag.removeprefix('--no-')}" if flag.startswith("--no-") else flag
    if positive in known:
        return True
    # argparse takes the beginning of a name for the whole, unless told not to.
    return len(positive) >= _SHORTEST and any(name.startswith(positive) for name in known)


def _nearest(flag: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(flag, sorted(known), n=1)
    return f"; the nearest is {near[0]}" if near else ""


RULE = Rule(
    id="flags-exist",
    title="Every option on a command line is one that its command has",
    severity=Severity.MANDATORY,
    reason="A command that meets an option it does not know ends at once with exit code 1 or 2.",
    source=(
        "ai-dynamo 1.2.1 from PyPI: argparse of dynamo.trtllm, dynamo.frontend and dynamo.vllm; "
        "NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 00209af"
    ),
    lines=(
        "Dynamo 1.2",
        "TensorRT-LLM 1.3.0rc14",
    ),
    fix="Correct the spelling, or write what replaced the option.",
    check=_check,
)
