"""Which Dynamo release a worker's or frontend's image is of."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from resource_graph import Value
from rules.reading.pods.images import Image, read_image, release_line
from rules.reading.pods.workers import Worker
from rules.reading.program.operator_line import RUNTIMES
from rules.reading.shapes import Undecided, text_at

Line = tuple[int, int]
"""Major and minor version."""

_Judgement = TypeVar("_Judgement")
_NAMES = RUNTIMES - {"dynamo-frontend"}
_TAG = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(.*)")
_BEFORE_THE_RELEASE = re.compile(r"\d[-.]?(?:.*-)?(?:dev|rc|a|alpha|beta|test)(?:[-.]?\d|$)")
_LAST_OF_ZERO = (0, 9)
_NOTHING: Mapping[str, Value] = MappingProxyType({})


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


def known_lines(
    container: Mapping[str, Value], described_by: Mapping[str, Value] = _NOTHING
) -> tuple[Line, ...]:
    """The release lines that a container's image can be of: two for a build between two releases.

    `described_by` is its service or component, which can say what the image does not.

    Empty where neither a publisher's tag nor `runtimeVersionOverride` says so, such as for `my-tag`.
    """
    try:
        image = read_image(container)
        override = release_line(text_at(described_by, "runtimeVersionOverride"))
    except Undecided:
        return ()
    if override is not None:
        return (override,)
    if image is None or image.name not in RUNTIMES or image.line is None:
        return ()
    return (_previous(image.line), image.line) if _between_releases(image) else (image.line,)


def by_line(
    judge: Callable[[Line], _Judgement],
    container: Mapping[str, Value],
    described_by: Mapping[str, Value] = _NOTHING,
) -> _Judgement:
    """What a judgement is under the release that the container's image is of.

    Raises:
        Undecided: the image names no release, or one between two of which the judgement differs.
    """
    lines = known_lines(container, described_by)
    results = [judge(line) for line in lines]
    if results and all(result == results[0] for result in results):
        return results[0]
    image = read_image(container)
    shown = "no image" if image is None else f"image {image.text}"
    said = "does not say of which release it is" if not lines else "is a build between two releases"
    raise Undecided(f"{shown} {said}, and releases differ in this")


def _between_releases(image: Image) -> bool:
    """Whether the tag is one of a build from the main branch, such as 1.4.0-kimi-k3-dev.1."""
    return _BEFORE_THE_RELEASE.search(image.tag or "") is not None


def _previous(line: Line) -> Line:
    major, minor = line
    return (major, minor - 1) if minor else _LAST_OF_ZERO
