"""Versions of the Dynamo runtime image, as far as behaviour depends on them."""

import re

_LINE = re.compile(r"^([0-9]+)\.([0-9]+)\.")


def release_line(runtime_version: str) -> tuple[int, int]:
    """Return major and minor version of an image tag such as 1.2.1.

    Raises:
        ValueError: the tag does not begin with a release's number.

    """
    found = _LINE.match(runtime_version)
    if found is None:
        raise ValueError(f"{runtime_version} is no release of the runtime image, such as 1.2.1")
    return int(found[1]), int(found[2])
