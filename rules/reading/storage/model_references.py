"""How models are named on command lines: by repository, or by directory of the cache."""

import re
from dataclasses import dataclass

_SNAPSHOT = re.compile(r"models--([\w.-]{1,96}?)--([\w.-]{1,96})/snapshots/([^/]+)")
_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w.-]+")


@dataclass(frozen=True, slots=True)
class ModelReference:
    """How a model is named: a repository of the hub, a directory, or both at once."""

    text: str
    source: str
    repository: str | None
    """None where a directory does not tell."""
    revision: str | None
    """None where the newest one is meant, or a directory does not tell."""

    @property
    def is_path(self) -> bool:
        """Whether it names a directory."""
        return self.text.startswith("/")


def model_reference(text: str, source: str, revision: str | None = None) -> ModelReference:
    """What a command's word says of a model."""
    snapshot = _SNAPSHOT.search(text)
    if snapshot is not None:
        return ModelReference(text, source, f"{snapshot.group(1)}/{snapshot.group(2)}", snapshot.group(3))
    return ModelReference(text, source, text if _REPOSITORY.fullmatch(text) else None, revision)
