"""`kubectl port-forward` to the frontend of a graph: a loopback address, as long as it is needed."""

import re
import time

from components.dynamo_objects import FRONTEND_PORT, frontend_service
from operations.commands import ClusterCommands, last_line
from operations.errors import CommandError, NotAllowed
from operations.streamed_process import StreamedProcess, interruptions_deferred

_OPEN_SECONDS = 20.0
_REFUSED = " is forbidden: User "
"""Of the API server, by way of kubectl."""
_FORWARDING = re.compile(r"Forwarding from (127\.0\.0\.1:\d+) ->")

FORWARD_NOTE = (
    "through kubectl port-forward, where one connection carries all streams: "
    "latency and throughput are its own too"
)


class PortForward:
    """A way to the frontend; it opens with the first question for its address, and again after it ended."""

    def __init__(
        self, cluster: ClusterCommands, namespace: str, graph_name: str, *, seconds: float = _OPEN_SECONDS
    ) -> None:
        """Make it; nothing is started.

        Args:
            cluster: where the graph is.
            namespace: of the graph.
            graph_name: the graph's.
            seconds: how long opening may take.

        """
        service = f"service/{frontend_service(graph_name)}"
        words = ("port-forward", "--address", "127.0.0.1", "--namespace", namespace)
        self._command = cluster.words("kubectl", *words, service, f":{FRONTEND_PORT}")
        self._seconds = seconds
        self._process: StreamedProcess | None = None
        self._address = ""

    def __enter__(self) -> "PortForward":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def address(self) -> str:
        """Return the URL; raises CommandError, with kubectl's reason, or NotAllowed."""
        if self._process is None or self._process.has_ended():
            self.close()
            with interruptions_deferred():
                self._process = StreamedProcess(self._command)
            self._address = self._opened(self._process)
        return f"http://{self._address}"

    def close(self) -> None:
        """End kubectl, which has nothing to lose."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _opened(self, process: StreamedProcess) -> str:
        began, said = time.monotonic(), ""
        try:
            for line in process.lines(began + self._seconds):
                found = _FORWARDING.search(line or "")
                if found:
                    return found[1]
                said = line or said
        except TimeoutError:
            self.close()
            late = f"kubectl port-forward did not start within {self._seconds:g} s"
            raise CommandError(f"{late}: {last_line(said)}") from None
        self.close()
        reason = last_line(said).removeprefix("error: ")
        error = NotAllowed if _REFUSED in reason else CommandError
        raise error(f"kubectl port-forward ended after {time.monotonic() - began:.1f} s: {reason}")
