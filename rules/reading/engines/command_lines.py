"""The release of the engine or frontend that a command line starts, as its image says it."""

import re
from collections.abc import Mapping

from engines import ENGINE_IMAGES, Vocabulary
from resource_graph import Value
from rules.reading.commands.start_script import VLLM_SERVE
from rules.reading.engines.engine_release import line_of_own_image
from rules.reading.pods.images import read_image

# What follows a release in the tags that NVIDIA publishes; other builds have engines of their own.
_RELEASE = re.compile(r"v?\d+\.\d+\.\d+(?:-efa|-cuda\d+|-amd64|-arm64)*")
_NAMES = frozenset({"tensorrtllm-runtime", "vllm-runtime", "sglang-runtime", "dynamo-frontend"})


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
