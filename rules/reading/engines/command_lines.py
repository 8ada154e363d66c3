"""Every command line that starts an engine or a frontend, and the release that its image is of."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from hardware import Vocabulary
from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, undecided
from rules.reading.commands.start_script import StartCommand
from rules.reading.pods.frontends import Frontend, read_frontends
from rules.reading.pods.images import read_image
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided

# What follows a release in the tags that NVIDIA publishes; other builds have engines of their own.
_RELEASE = re.compile(r"v?\d+\.\d+\.\d+(?:-efa|-cuda\d+|-amd64|-arm64)*")
_NAMES = frozenset({"tensorrtllm-runtime", "vllm-runtime", "sglang-runtime", "dynamo-frontend"})

CommandCheck = Callable[
    [Resource, str, Mapping[str, Value], StartCommand, Worker | None], Iterable[Observation]
]
"""Takes the resource, the name of the part, its container, the command, and the worker if it is one."""


def all_commands(graph: ResourceGraph, check: CommandCheck) -> Iterator[Observation]:
    """Apply a check to every engine and frontend that is started; what cannot be read is undecided."""

    def check_worker(worker: Worker) -> Iterator[Observation]:
        for command in worker.commands:
            yield from check(worker.resource, worker.name, worker.container, command, worker)

    yield from check_workers(graph, check_worker)
    for frontend in read_frontends(graph):
        if not isinstance(frontend, Frontend):
            continue
        try:
            yield from check(frontend.resource, frontend.name, frontend.container, frontend.command, None)
        except Undecided as reason:
            yield undecided(frontend.resource, frontend.name, str(reason))


def line_of(container: Mapping[str, Value], vocabulary: Vocabulary | None) -> tuple[int, int] | None:
    """The release line of the container's image, where it is a published one whose words were read.

    Raises:
        Undecided: the image is unknown.
    """
    image = None if vocabulary is None else read_image(container)
    if image is None or vocabulary is None or image.line not in vocabulary.by_line:
        return None
    published = image.name in _NAMES and _RELEASE.fullmatch(image.tag or "") is not None
    return image.line if published else None


def shown_line(line: tuple[int, int] | None) -> str:
    """For a message, after the command's name."""
    return " in any release that was read" if line is None else f" {line[0]}.{line[1]}"
