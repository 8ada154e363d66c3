"""The one `lab.warm_start` of this test process."""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab.warm_start import VARIABLE

_DEADLINE_SECONDS = 120


@functools.cache
def warm_start() -> dict[str, str]:
    """Return the variable that lets the lab's Python processes of these tests start warm."""
    folder = tempfile.TemporaryDirectory(prefix="warm-")
    path = Path(folder.name) / "socket"
    # Its standard input ends with this process, however that ends.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "lab.warm_start", str(path)],
        stdin=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": folder.name},
        start_new_session=True,
    )

    def end() -> None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(_DEADLINE_SECONDS)
        folder.cleanup()

    atexit.register(end)
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not path.exists():
        assert process.poll() is None, "lab.warm_start ended"
        assert time.monotonic() < deadline, "lab.warm_start does not start"
        time.sleep(0.05)
    return {VARIABLE: str(path)}
