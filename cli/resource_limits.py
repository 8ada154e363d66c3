"""An end for what takes too long or too much memory, whichever reader or rule was led into it."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from operations.errors import CommandError

_SECONDS = 10.0
"""Processor time; the largest files that are read need half."""
_AGAIN_SECONDS = 0.1
_MEMORY = 768 * 1024 * 1024
"""Bytes beside what the process has when it begins, about 150 MB."""

_SIZES = Path("/proc/self/statm")


class _TooLong(BaseException):
    """No Exception: what waits for one, such as a rule's own defect, must not take this for it."""


@contextmanager
def bounded(what: str) -> Iterator[None]:
    """Raise CommandError about `what` once the block has needed more time or memory than any honest input."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, _end)
    # Again and again: Python swallows what a handler raises in a finalizer.
    signal.setitimer(signal.ITIMER_PROF, _SECONDS, _AGAIN_SECONDS)
    # Only Linux tells what is in use already; elsewhere the time bounds the memory too.
    if _SIZES.exists():
        used = int(_SIZES.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (_lowest(used + _MEMORY, soft, hard), hard))
    try:
        yield
    except _TooLong:
        # The next one may come before the clock stands.
        with suppress(_TooLong):
            signal.setitimer(signal.ITIMER_PROF, 0)
        raise CommandError(
            f"{what}: not judged: it takes more than {_SECONDS:.0f} s of processor time"
        ) from None
    except MemoryError:
        raise CommandError(f"{what}: not judged: it takes more than {_MEMORY:,} bytes of memory") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _lowest(*limits: int) -> int:
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise _TooLong
