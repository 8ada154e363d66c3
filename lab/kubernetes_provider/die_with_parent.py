"""Replaces itself by the command it is given, which the kernel then kills when its parent ends.

The vendor's plugin runs Helm inside its own process: killing it stops Helm in the middle of its
work. A helm process that lived on would finish the work and hide what such a kill leaves behind.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Arguments: the parent's process id, then the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # It died before the kernel had been asked.
        os._exit(1)
    os.execvp(command[0], command)  # noqa: S606 - the caller's fixed list, no shell


if __name__ == "__main__":
    main()
