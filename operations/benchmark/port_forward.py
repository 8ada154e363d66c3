"""A way from this machine to the frontend of a graph, through kubectl."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from components.dynamo_objects import FRONTEND_PORT
from operations.benchmark.streamed_process import StreamedProcess, streamed
from operations.cluster_commands import ClusterCommands
from operations.errors import CommandError

_OPEN_SECONDS = 30
_OPENED = re.compile(r"Forwarding from 127\.0\.0\.1:(\d+) ->")

FORWARD_NOTE = (
    "through kubectl port-forward, where one connection carries all streams: "
    "latency and throughput are its own too"
)


@contextmanager
def forwarded(cluster: ClusterCommands, namespace: str, graph_name: str) -> Iterator[str]:
    """Yield the address of the graph's frontend on this machine.

    Raises:
        CommandError: kubectl does not open it in time.

    """
    service = f"service/{graph_name}-frontend"
    words = ("port-forward", service, f":{FRONTEND_PORT}", "--namespace", namespace, "--address", "127.0.0.1")
    with streamed(cluster.words("kubectl", *words)) as process:
        yield f"http://127.0.0.1:{_port(process, cluster.line('kubectl', *words))}"


def _port(process: StreamedProcess, typed: str) -> str:
    said, within = "it says nothing", ""
    try:
        for line in process.lines(time.monotonic() + _OPEN_SECONDS):
            opened = _OPENED.search(line or "")
            if opened:
                return opened[1]
            said = line or said
    except TimeoutError:
        within = f" within {_OPEN_SECONDS} s"
    raise CommandError(f"`{typed}` opens no way to the frontend{within}\n  {said}")
