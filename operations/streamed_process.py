"""A program whose output is read while it runs, and which never outlives its reader."""

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

_TICK_SECONDS = 1.0
_END_SECONDS = 20.0
"""AIPerf 0.13.0 ends within two seconds of SIGINT, with thousands of requests open."""


class StreamedProcess:
    """A running program; its error stream and its output are one, as on a terminal."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            # A terminal's Ctrl-C reaches it through this process alone, which ends it in order.
            process_group=0,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def lines(self, deadline: float) -> Iterator[str | None]:
        """Yield each line, and None for every second without one, until the program has ended.

        A carriage return ends a line too: with it progress bars are drawn.

        Raises:
            TimeoutError: the deadline, of time.monotonic(), is over.

        """
        while True:
            if time.monotonic() > deadline:
                raise TimeoutError
            try:
                line = self._lines.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                yield None
                continue
            if line is None:
                return
            yield line

    def has_ended(self) -> bool:
        """Whether the program has ended by itself."""
        return self._process.poll() is not None

    def exit_code(self) -> int:
        """The exit code of a program whose lines have all been read."""
        return self._process.wait(timeout=_END_SECONDS)

    def end(self) -> None:
        """Interrupt the program, and kill it and all that it started where that does not end it."""
        with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
                self._process.wait(timeout=_END_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


@contextmanager
def streamed(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[StreamedProcess]:
    """Run a program; it has ended when the block has."""
    process: StreamedProcess | None = None
    try:
        with interruptions_deferred():
            process = StreamedProcess(command, environment)
        yield process
    finally:
        if process is not None:
            process.end()


@contextmanager
def interruptions_deferred() -> Iterator[None]:
    """Let no signal in between the start of a program and the block that ends it.

    The signals are not blocked: the program would inherit that, and hear no Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        # Python handles signals in the main thread alone.
        yield
        return
    arrived: list[int] = []
    before = {
        number: signal.signal(number, lambda came, _: arrived.append(came))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in arrived[:1]:
        signal.raise_signal(number)
