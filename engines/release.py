"""Release lines of the Dynamo runtime, and facts of a release together with what stands behind them."""

import re
from contextlib import suppress
from dataclasses import dataclass

ReleaseLine = tuple[int, int]
"""Major and minor version."""


def release_line(runtime_version: str) -> ReleaseLine:
    """Return major and minor version of an image tag such as 1.2.1.

    Raises:
        ValueError: the tag does not begin with a release's number.

    """
    found = re.match(r"([0-9]+)\.([0-9]+)\.", runtime_version)
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
    with suppress(ValueError):
        return line_name(runtime_version)
    return None


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
