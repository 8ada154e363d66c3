"""Where in a stack's file its settings stand."""

import re

from resource_graph.manifest_yaml import read_documents
from resource_graph.values import Path

_PARTS = re.compile(r"[^.\[\]]+")


class SettingLines:
    """The lines of a stack's file, counted from 1.

    Args:
        text: of the file, which the program's own reader has taken.
        file: its name.
        top: key under `config` below which the settings stand.

    """

    def __init__(self, text: str, file: str, top: str) -> None:
        self.file = file
        self._top = ("config", top)
        self._written = next(document.written for document in read_documents(text))

    def of_setting(self, key: str) -> int:
        """Return the line of a setting such as `nodePools[0].zone`, or of the nearest around it."""
        return self._written.nearest(self._path(key))[0]

    def place_of(self, key: str) -> str | None:
        """Return file and line, Pulumi.dev.yaml:12; None where the file has no such setting."""
        line, is_own = self._written.nearest(self._path(key))
        return f"{self.file}:{line}" if is_own else None

    def _path(self, key: str) -> Path:
        parts: list[str] = _PARTS.findall(key)
        return (*self._top, *(int(part) if part.isdecimal() else part for part in parts))
