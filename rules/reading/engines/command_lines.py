"""Every command line that starts an engine or a frontend, and the release that its image is of."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from hardware import ENGINE_IMAGES, Vocabulary
from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, undecided
from rules.reading.commands.start_script import VLLM_SERVE, StartCommand
from rules.reading.engines.engine_release import line_of_own_image
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
    if image is None or vocabulary is None or _RELEASE.fullmatch(image.tag or "") is None:
        return None
    line = image.line if image.name in _NAMES else line_of_own_image(image)
    return line if line in vocabulary.by_line else None


def shown_command(engine: str, line: tuple[int, int] | None) -> str:
    """The command and its own release, for a message."""
    name = f"{VLLM_SERVE} serve" if engine == VLLM_SERVE else engine
    if line is None:
        return f"{name} in any release that was read"
    if engine == VLLM_SERVE:
        line = next(own for own, named in ENGINE_IMAGES["vllm/vllm-openai"].items() if named == line)
    return f"{name} {line[0]}.{line[1]}"
