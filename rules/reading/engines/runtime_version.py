"""Which Dynamo release a worker's image is of."""

import re

from rules.reading.pods.images import read_image
from rules.reading.pods.workers import Worker

_NAMES = frozenset({"tensorrtllm-runtime", "vllm-runtime", "sglang-runtime"})
_TAG = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(.*)")


def runtime_image(worker: Worker) -> tuple[tuple[int, int, int], str] | None:
    """The release of the publisher's runtime image and what follows it in the tag, such as `-efa`.

    None for an image of another name, or a tag that is no release's.

    Raises:
        Undecided: the image is unknown.
    """
    image = read_image(worker.container)
    match = None if image is None or image.name not in _NAMES else _TAG.fullmatch(image.tag or "")
    if match is None:
        return None
    major, minor, patch, rest = match.groups()
    return (int(major), int(minor), int(patch)), rest
