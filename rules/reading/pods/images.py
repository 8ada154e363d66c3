"""Names of container images."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.shapes import text_at

_PLACEHOLDER = re.compile(r"[$<>{}]|(?:^|[:/])(?:my|your)-", re.IGNORECASE)
"""`${IMAGE}`, `<tag>`, `{{ .Values.image }}`, and the names my-registry and my-tag of Dynamo's examples."""
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-.+_a-zA-Z].*)?")


@dataclass(frozen=True, slots=True)
class Image:
    """The parts of `registry/path/name:tag@digest`."""

    text: str
    repository: str
    """Everything before tag and digest."""
    tag: str | None
    digest: str | None

    @property
    def name(self) -> str:
        """The last part of the repository."""
        return self.repository.rpartition("/")[2]

    @property
    def is_placeholder(self) -> bool:
        """Whether a person or a tool has yet to fill it in, so that it says nothing of what will run."""
        return _PLACEHOLDER.search(self.text) is not None

    @property
    def line(self) -> tuple[int, int] | None:
        """Major and minor version that the tag begins with; None for a tag that is no version."""
        return release_line(self.tag)


def read_image(container: Mapping[str, Value]) -> Image | None:
    """The container's image; None where it names none.

    Raises:
        Undecided: it is unknown.
    """
    text = text_at(container, "image")
    if not text:
        return None
    rest, _, digest = text.partition("@")
    # A colon before the last slash belongs to a registry's port.
    head, slash, last = rest.rpartition("/")
    name, colon, tag = last.partition(":")
    return Image(text, f"{head}{slash}{name}", tag if colon else None, digest or None)


def release_line(version: str | None) -> tuple[int, int] | None:
    """Major and minor version; None for what is no version."""
    match = _VERSION.fullmatch(version or "")
    return None if match is None else (int(match.group(1)), int(match.group(2)))
