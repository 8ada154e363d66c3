"""Runs at the start of every Python process of the container, before its program."""

import ctypes
import signal

_PR_SET_PDEATHSIG = 1

# A container's processes end with its first one, which is this one's parent; without a container this one
# would go on with its load.
ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
