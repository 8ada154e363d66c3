"""Run the workers of one container, and end as soon as one of them ends; runs inside the pods of a graph.

Its text comes by the graph's ConfigMap and nothing of this project is installed there, so it imports the
standard library alone. As process 1 it also collects what the workers' own processes leave behind.

    supervisor.py NAME:PORT COMMAND [ARGUMENT ...] [-- NAME:PORT COMMAND [ARGUMENT ...]] ...

Each worker listens at its PORT (DYN_SYSTEM_PORT), and the supervisor for all of them at its own: /live and
/health are answered with 200 when every worker answers so, /metrics with those of all, each with a label
worker="NAME".
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import BinaryIO

GRACE_SECONDS = 120
"""The other workers' time to finish their requests when one has ended; the same that the pod gives them."""
_PROBED = ("/live", "/health")
_METRICS = "/metrics"
_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?( .*)")
"""Line of Prometheus' text format: name, labels, value."""
OWN_PORT = 9090
"""Where the operator's probes ask (ai-dynamo/dynamo deploy/operator component_worker.go)."""
_PORT, _HOST = "DYN_SYSTEM_PORT", "DYN_SYSTEM_HOST"
_ASKED_SECONDS = 1.5
"""For each worker: the operator's probes wait 4 s."""
_LAST_WORDS_SECONDS = 5
_LAST_LINES = 10
"""Lines of the worker that ended first, said again at the end: of a log the pod's status keeps the end."""
_SIGNALLED = 128
_READ_BYTES = 64


class Worker:
    """One of the processes."""

    def __init__(self, place: str, command: Sequence[str]) -> None:
        self.name, _, port = place.partition(":")
        self.port = int(port)
        self.code: int | None = None
        """Its exit code, 128 + n for signal n; None while it runs."""
        self.last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._process = subprocess.Popen(
            command, env=os.environ | {_PORT: port}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self._process.stdout is not None
        self._copying = threading.Thread(target=self._copy, args=(self._process.stdout,), daemon=True)
        self._copying.start()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def signal(self, number: int) -> None:
        """Send a signal to a worker that still runs."""
        if self.code is None:
            os.kill(self.pid, number)

    def ended(self, status: int) -> None:
        """Take in how it ended, once its last words are printed; status is the one of waitpid."""
        code = os.waitstatus_to_exitcode(status)
        self._process.returncode = code
        self.code = code if code >= 0 else _SIGNALLED - code
        # A process that it left behind may hold the pipe open.
        self._copying.join(_LAST_WORDS_SECONDS)

    def asked(self, host: str, path: str) -> tuple[int, str]:
        """Return the HTTP status and the text that it answers with; 0 for no answer."""
        connection = http.client.HTTPConnection(host, self.port, timeout=_ASKED_SECONDS)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def _copy(self, output: BinaryIO) -> None:
        for line in output:
            text = f"{self.name}: {line.decode(errors='replace').rstrip()}"
            self.last_lines.append(text)
            _say(text)


class Supervisor:
    """All workers of the container."""

    def __init__(self, awake: int) -> None:
        self.workers: list[Worker] = []
        self.is_ending = False
        self._awake = awake

    def start(self, commands: Mapping[str, Sequence[str]]) -> None:
        """Start a worker for each NAME:PORT."""
        for place, command in commands.items():
            self.workers.append(Worker(place, command))
        if self.is_ending:
            self.stop(signal.SIGTERM)

    def stop(self, number: int, _: FrameType | None = None) -> None:
        """Pass a signal on: every worker finishes its requests and ends."""
        self.is_ending = True
        for worker in self.workers:
            worker.signal(number)

    def kill(self, _number: int, _: FrameType | None = None) -> None:
        """End what has not ended in its time."""
        for worker in self.workers:
            worker.signal(signal.SIGKILL)

    def wait(self) -> int:
        """Return the exit code when all workers have ended."""
        failed: Worker | None = None
        while any(worker.code is None for worker in self.workers):
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                # Returns with the next signal; its handler runs before the next look.
                os.read(self._awake, _READ_BYTES)
                continue
            ended = next((worker for worker in self.workers if worker.pid == pid), None)
            if ended is None:
                continue
            ended.ended(status)
            _say(f"supervisor: {ended.name} has ended with code {ended.code}")
            if not self.is_ending:
                failed = ended
                _say("supervisor: the others are told to end, and the container with them")
                signal.alarm(GRACE_SECONDS)
                self.stop(signal.SIGTERM)
        if failed is None:
            return max(worker.code or 0 for worker in self.workers)
        for line in failed.last_lines:
            _say(line)
        _say(f"supervisor: {failed.name} ended first, with code {failed.code}; its last words are above")
        # Nobody told it to end, so it has failed, whatever it says.
        return failed.code or 1

    def status(self, host: str, path: str) -> tuple[HTTPStatus, dict[str, int]]:
        """Return the answer for all workers, and that of each."""
        if self.is_ending:
            # The kubelet must not take the end that is under way for a worker that hangs.
            return (HTTPStatus.OK if path == "/live" else HTTPStatus.SERVICE_UNAVAILABLE), {}
        answers = {worker.name: worker.asked(host, path)[0] for worker in self.workers}
        passed = all(answer == HTTPStatus.OK for answer in answers.values())
        return (HTTPStatus.OK if passed else HTTPStatus.SERVICE_UNAVAILABLE), answers

    def metrics(self, host: str) -> str:
        """Return the metrics of all workers that answer."""
        lines: dict[str, None] = {}
        for worker in self.workers:
            for line in worker.asked(host, _METRICS)[1].splitlines():
                sample = _SAMPLE.fullmatch(line)
                # Comments say the same of every worker, and may be there once only.
                lines[_labelled(sample, worker.name) if sample else line] = None
        return "".join(f"{line}\n" for line in lines)


def listen(supervisor: Supervisor) -> ThreadingHTTPServer:
    """Answer the probes, from now on and in threads of their own."""
    host = os.environ.get(_HOST, "")

    class Probes(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            workers_host = host or "127.0.0.1"
            if self.path in _PROBED:
                status, answers = supervisor.status(workers_host, self.path)
                text = json.dumps({"ending": supervisor.is_ending, "answers": answers})
                self._answer(status, "application/json", text)
            elif self.path == _METRICS:
                self._answer(HTTPStatus.OK, "text/plain; version=0.0.4", supervisor.metrics(workers_host))
            else:
                self.send_error(HTTPStatus.NOT_FOUND)

        def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base's
            """Say nothing: probes come each few seconds."""

    server = ThreadingHTTPServer((host, int(os.environ.get(_PORT, OWN_PORT))), Probes)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def commands_of(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the workers' command lines by NAME:PORT."""
    commands: dict[str, list[str]] = {}
    group: list[str] = []
    for word in [*words, "--"]:
        if word != "--":
            group.append(word)
            continue
        place, *command = group
        commands[place] = command
        group = []
    return commands


def _labelled(sample: re.Match[str], worker: str) -> str:
    name, labels, value = sample.groups()
    more = f",{labels}" if labels else ""
    return f'{name}{{worker="{worker}"{more}}}{value}'


def _say(line: str) -> None:
    # One call for the whole line: several threads write.
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _woken_by_signals() -> int:
    """Return what can be read after every signal.

    A wait for a worker would sleep through a signal that comes just before it begins, or that another thread
    gets from the kernel: the pod would be killed at the end of its grace with its requests unfinished.
    """
    awake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    # Without a handler a worker's end would write nothing.
    signal.signal(signal.SIGCHLD, _taken_note_of)
    return awake


def _taken_note_of(_number: int, _: FrameType | None) -> None:
    """Do nothing: the pipe says it."""


def main() -> int:
    """Return the exit code of the container."""
    supervisor = Supervisor(_woken_by_signals())
    # Before any worker: process 1 does not end of a signal that it has no handler for.
    signal.signal(signal.SIGTERM, supervisor.stop)
    signal.signal(signal.SIGINT, supervisor.stop)
    signal.signal(signal.SIGALRM, supervisor.kill)
    supervisor.start(commands_of(sys.argv[1:]))
    listen(supervisor)
    return supervisor.wait()


if __name__ == "__main__":
    sys.exit(main())
