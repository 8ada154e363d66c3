"""What the API server tells of objects while an update runs, with the moment at which it told it."""

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Self

from tests.support.sandbox import Sandbox

LONGEST_WATCH_SECONDS = 300
START_SECONDS = 30.0


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
    """Records all changes of the objects below one path of the API, from those that are there on.

    At least one object must be there: the watch is known to have begun once each of them was told.
    """

    def __init__(self, lab: Sandbox, path: str) -> None:
        self._lab = lab
        self._all = path
        self._path = f"{path}?watch=true&timeoutSeconds={LONGEST_WATCH_SECONDS}"
        self._expected = 0
        self._events: list[Event] = []
        self._begun = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    @property
    def events(self) -> list[Event]:
        """What was told so far, in order."""
        return list(self._events)

    def __enter__(self) -> Self:
        """Begins; later events tell of what happens within the block."""
        self._expected = len(json.loads(self._lab.kubectl("get", "--raw", self._all).stdout)["items"])
        self._process = subprocess.Popen(
            [str(self._lab.directory.bin / "kubectl"), "get", "--raw", self._path],
            env=self._lab.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        assert self._begun.wait(START_SECONDS), f"nothing is told of {self._path}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends; what was told is kept."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(START_SECONDS)
        self._reader.join(START_SECONDS)

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            told = json.loads(line)
            self._events.append(Event(time.monotonic(), told["type"], told["object"]))
            if len(self._events) >= self._expected:
                self._begun.set()
