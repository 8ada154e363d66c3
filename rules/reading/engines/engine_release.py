"""Which release an engine is of, and what that leaves of a finding that was read from other releases."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from engines import ENGINE_IMAGES
from resource_graph import Value
from rules.reading.engines.runtime_version import Line, known_lines
from rules.reading.pods.images import Image, read_image
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

TENSORRT_LLM_LINES: Collection[Line] = frozenset({(1, 0), (1, 1), (1, 2)})
"""The lines of Dynamo with TensorRT-LLM of January to June 2026, whose files agree with each other."""
VLLM_0_20: Collection[Line] = frozenset({(1, 2)})
"""The line of Dynamo with vLLM 0.20.1."""
_NOTHING: Mapping[str, Value] = MappingProxyType({})


def engine_lines(
    container: Mapping[str, Value], described_by: Mapping[str, Value] = _NOTHING
) -> tuple[Line, ...]:
    """The lines of Dynamo that name the engine's release, for an engine's own image too.

    Empty where nothing says the release, and for an engine of which no line of Dynamo was read.
    """
    lines = known_lines(container, described_by)
    if lines:
        return lines
    try:
        image = read_image(container)
    except Undecided:
        return ()
    line = None if image is None else line_of_own_image(image)
    return () if line is None else (line,)


def line_of_own_image(image: Image) -> Line | None:
    """The line of Dynamo that names the release of an image such as vllm/vllm-openai:v0.20.1."""
    for repository, lines in ENGINE_IMAGES.items():
        if image.line is not None and f"/{image.repository}".endswith(f"/{repository}"):
            return lines.get(image.line)
    return None


def as_read(worker: Worker, messages: Iterable[str], read: Collection[Line]) -> Iterator[str | Undecided]:
    """What is wrong with a worker's engine; undecided unless its image is of lines that were read.

    Engines gain kernels, values and settings with each release, and lose a few.
    """
    lines = engine_lines(worker.container, worker.described_by)
    if lines and all(line in read for line in lines):
        yield from messages
        return
    for message in messages:
        yield Undecided(f"{message}; that was read in other releases than that of {_shown(worker)}")


def _shown(worker: Worker) -> str:
    image = read_image(worker.container)
    return "an unnamed image" if image is None else f"image {image.text}"
