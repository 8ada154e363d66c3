"""What the API server tells of objects while an update runs, with the moment at which it told it."""

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Self

from tests.support.sandbox import Sandbox
from tests.support.waiting import until

LONGEST_WATCH_SECONDS = 300
END_SECONDS = 30.0


@dataclass(frozen=True)
class Event:
    """One change of one object."""

    at: float
    """Seconds on the monotonic clock."""
    kind: str
    """ADDED, MODIFIED or DELETED."""
    object: dict[str, Any]

    @property
    def version(self) -> int:
        """The database's revision that this change made: an order over all kinds, which no clock gives."""
        return int(self.object["metadata"]["resourceVersion"])

    @property
    def name(self) -> str:
        """The object's name."""
        name: str = self.object["metadata"]["name"]
        return name


class Watch:
    """Records all changes of the objects below one path of the API, from those that are there on."""

    def __init__(self, lab: Sandbox, path: str) -> None:
        self._lab = lab
        self._path = path
        self._events: list[Event] = []

    @property
    def events(self) -> list[Event]:
        """What was told so far, in order."""
        return list(self._events)

    def __enter__(self) -> Self:
        """Begins; later events tell of what happens within the block."""
        now = self._list()
        self._events += [Event(time.monotonic(), "ADDED", each) for each in now["items"]]
        since = f"resourceVersion={now['metadata']['resourceVersion']}"
        path = f"{self._path}?watch=true&timeoutSeconds={LONGEST_WATCH_SECONDS}&{since}"
        self._process = subprocess.Popen(
            [str(self._lab.directory.bin / "kubectl"), "get", "--raw", path],
            env=self._lab.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends; what was told is kept, which is all that happened within a block that did not fail."""
        if error is None:
            until(self._has_told_all, f"the last changes of {self._path}", END_SECONDS)
        self._process.terminate()
        self._process.wait(END_SECONDS)
        self._reader.join(END_SECONDS)

    def _list(self) -> dict[str, Any]:
        return json.loads(self._lab.kubectl("get", "--raw", self._path).stdout)

    def _has_told_all(self) -> bool:
        last = {event.object["metadata"]["uid"]: event for event in self.events}
        told = {uid: str(event.version) for uid, event in last.items() if event.kind != "DELETED"}
        return told == {
            each["metadata"]["uid"]: each["metadata"]["resourceVersion"] for each in self._list()["items"]
        }

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            told = json.loads(line)
            self._events.append(Event(time.monotonic(), told["type"], told["object"]))
