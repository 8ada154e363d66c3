"""Signals that end a command which has started something: it ends that too, as after Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# `nohup` ignores the second, and so does the command then.
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class EndedBySignalError(KeyboardInterrupt):
    """A signal after which everything ends in the order of a Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = signal.Signals(number)


@contextmanager
def ending_signals() -> Iterator[None]:
    """Raise EndedBySignalError where a pipeline ends the command or a terminal closes."""
    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise EndedBySignalError(number)
