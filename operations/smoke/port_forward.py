"""`kubectl port-forward` as a child process: a loopback address of a Service, as long as it is needed."""

import re
import subprocess
import threading
import time
from collections.abc import Sequence

from operations.cluster_commands import last_line
from operations.smoke.client import NoAnswer

_FORWARDING = re.compile(r"Forwarding from (127\.0\.0\.1:\d+) ->")
_END_SECONDS = 3


class PortForward:
    """One port of a Service; it starts with the first question for its address, and again after it ended."""

    def __init__(self, command: Sequence[str], *, seconds: float) -> None:
        """Make it; nothing is started.

        Args:
            command: kubectl's words up to the Service and the port, as in service/some :8000.
            seconds: how long a start may take.

        """
        self._command = list(command)
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._output = _Output()

    def __enter__(self) -> "PortForward":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def address(self) -> str:
        """Return the URL; raises NoAnswer, with kubectl's reason."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._start()
        return f"http://{self._output.address}"

    def close(self) -> None:
        """End kubectl, which has nothing to lose."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._output = _Output()
        threading.Thread(target=self._output.read, args=(self._process,), daemon=True).start()
        began = time.monotonic()
        if not self._output.is_decided.wait(self._seconds):
            self.close()
            raise NoAnswer(f"kubectl port-forward did not start within {self._seconds:g} s")
        if not self._output.address:
            said = last_line(self._output.text()).removeprefix("error: ")
            self.close()
            raise NoAnswer(f"kubectl port-forward ended after {time.monotonic() - began:.1f} s: {said}")


class _Output:
    """What kubectl prints: read to its end, or its pipe would fill and stop it."""

    def __init__(self) -> None:
        self.address = ""
        self.is_decided = threading.Event()
        """Set when it forwards, or has ended."""
        self._lines: list[str] = []

    def read(self, process: "subprocess.Popen[str]") -> None:
        with process.stdout as lines:  # pyright: ignore[reportOptionalContextManager] - it is a pipe
            for line in lines:
                found = _FORWARDING.search(line)
                if found:
                    self.address = found[1]
                    self.is_decided.set()
                elif not self.address:
                    self._lines.append(line)
        self.is_decided.set()

    def text(self) -> str:
        return "".join(self._lines)
