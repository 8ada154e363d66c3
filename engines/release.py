"""Release lines of the Dynamo runtime, by which facts of engines are told apart."""

import re
from contextlib import suppress

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
