"""What moto does not have: documents by kind and key, kept in a JSON file that others may read."""

from __future__ import annotations

import contextlib
import copy
import json
import threading
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Document = dict[str, Any]


class Store:
    """Documents as AWS describes them; every change is in the file when the request is answered.

    A new store is empty: what moto holds lives no longer than its process, and half a cloud would be
    worse than none.
    """

    lock: ClassVar = threading.RLock()
    """Of the process, as what moto holds is: held for a whole request, and while time passes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kinds: dict[str, dict[str, Document]] = {}
        self._write()

    def get(self, kind: str, key: str) -> Document | None:
        """A copy of a document, or None."""
        with self.lock:
            return copy.deepcopy(self._kinds.get(kind, {}).get(key))

    def all(self, kind: str, prefix: str = "") -> list[Document]:
        """Copies of the documents of a kind whose keys begin with a prefix, in the order they came."""
        return [document for _, document in self.items(kind, prefix)]

    def items(self, kind: str, prefix: str = "") -> list[tuple[str, Document]]:
        """all(), with the keys."""
        with self.lock:
            found = self._kinds.get(kind, {})
            return [(key, copy.deepcopy(item)) for key, item in found.items() if key.startswith(prefix)]

    def put(self, kind: str, key: str, document: Document) -> Document:
        """Writes a document and returns it."""
        with self.changing():
            self._kinds.setdefault(kind, {})[key] = copy.deepcopy(document)
        return document

    def delete(self, kind: str, key: str) -> Document | None:
        """Removes a document and returns it; None where there is none."""
        with self.changing():
            return self._kinds.get(kind, {}).pop(key, None)

    def delete_all(self, kind: str, prefix: str) -> None:
        """Removes the documents of a kind whose keys begin with a prefix."""
        with self.changing():
            found = self._kinds.get(kind, {})
            self._kinds[kind] = {key: item for key, item in found.items() if not key.startswith(prefix)}

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Holds the store for several reads and writes, and writes the file at the end."""
        with self.lock:
            yield
            self._write()

    def _write(self) -> None:
        partial = self._path.with_suffix(".partial")
        partial.write_text(json.dumps(self._kinds, indent=1, default=str), encoding="utf-8")
        partial.replace(self._path)
