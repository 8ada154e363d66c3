"""Several workers in one container: their ports, their ends, and what the probes are told."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from recipes import supervisor_script
from recipes.pod_environment import TERMINATION_GRACE_SECONDS
from recipes.pod_processes import SYSTEM_PORT
from tests.support.waiting import until

# A worker that answers its probes until SIGTERM, then says so and ends with the code that it was given; with
# `fails` it ends by itself as soon as that file is there.
WORKER = """
import http.server, os, pathlib, signal, sys, threading, time
code, fails = int(sys.argv[1]), pathlib.Path(sys.argv[2])
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if not pathlib.Path(f"{fails}-sick").exists() else 503)
        self.end_headers()
        if self.path == "/metrics":
            self.wfile.write(b"# TYPE up gauge\\nup 1\\nasked{path=\\"a b\\"} 2.5\\n")
    def log_message(self, *_): pass
told = []  # an Event's lock is not reentrant: set() in a handler that interrupts wait() never returns
signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["DYN_SYSTEM_PORT"])), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("is up", flush=True)
while not told:
    time.sleep(0.02)
    if fails.exists():
        print("cannot go on", file=sys.stderr, flush=True)
        os._exit(code)
print("finishes its requests", flush=True)
sys.exit(code)
"""


class Container:
    """A supervisor with a prefill and a decode worker."""

    def __init__(self, folder: Path, codes: tuple[int, int], worker: str) -> None:
        self.reserved = [_reserved_port() for _ in range(3)]
        own, *ports = (each.getsockname()[1] for each in self.reserved)
        self.port = own
        self.fails = {name: folder / f"{name}-fails" for name in ("prefill", "decode")}
        words = [sys.executable, "-I", supervisor_script.__file__]
        for (name, file), port, code in zip(self.fails.items(), ports, codes, strict=True):
            words += ["--"] if name == "decode" else []
            words += [f"{name}:{port}", sys.executable, "-c", worker, str(code), str(file)]
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                words,
                env={**os.environ, "DYN_SYSTEM_PORT": str(own), "DYN_SYSTEM_HOST": "127.0.0.1"},
                stdout=log,
            )

    def asked(self, path: str) -> int:
        """The status that a probe gets; 0 for none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def ended(self) -> tuple[int, str]:
        """Its exit code and all that it has printed."""
        return self.process.wait(30), self.log.read_text()


@contextmanager
def _container(folder: Path, codes: tuple[int, int] = (0, 0), worker: str = WORKER) -> Iterator[Container]:
    container = Container(folder, codes, worker)
    try:
        until(lambda: container.asked("/health") == 200, "both workers to answer", 30)
        yield container
    finally:
        # A supervisor that is killed leaves its workers, which a container's end would take along.
        workers = psutil.Process(container.process.pid).children() if container.process.poll() is None else []
        for process in (container.process, *workers):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        container.process.wait()
        for port in container.reserved:
            port.close()


def _reserved_port() -> socket.socket:
    """Holds a port: a server may bind it that asks for it by its number, as http.server reuses addresses, and
    the kernel gives it to nobody who asks for any.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def test_while_both_workers_run_it_answers_and_prints_for_both(tmp_path: Path) -> None:
    with _container(tmp_path) as container:
        with urllib.request.urlopen(f"http://127.0.0.1:{container.port}/health", timeout=5) as answer:
            assert json.load(answer)["answers"] == {"prefill": 200, "decode": 200}
        with urllib.request.urlopen(f"http://127.0.0.1:{container.port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        assert (container.asked("/live"), container.asked("/metadata")) == (200, 404)
        (tmp_path / "decode-fails-sick").touch()
        assert container.asked("/health") == 503
        printed = container.log.read_text().splitlines()
    assert lines == [
        "# TYPE up gauge",
        'up{worker="prefill"} 1',
        'asked{worker="prefill",path="a b"} 2.5',
        'up{worker="decode"} 1',
        'asked{worker="decode",path="a b"} 2.5',
    ]
    assert {"prefill: is up", "decode: is up"} <= set(printed)


@pytest.mark.parametrize("code", [0, 3])
def test_told_to_end_it_tells_both_waits_for_both_and_has_their_code(tmp_path: Path, code: int) -> None:
    with _container(tmp_path, codes=(0, code)) as container:
        container.process.send_signal(signal.SIGTERM)
        ended, printed = container.ended()
    assert ended == code
    for name, its_code in (("prefill", 0), ("decode", code)):
        assert f"{name}: finishes its requests" in printed
        assert f"supervisor: {name} has ended with code {its_code}" in printed
    assert "ended first" not in printed


def test_a_signal_that_the_kernel_hands_to_another_thread_ends_it_all_the_same(tmp_path: Path) -> None:
    with _container(tmp_path) as container:
        supervisor = container.process.pid
        *_, other = (each.id for each in psutil.Process(supervisor).threads() if each.id != supervisor)
        assert ctypes.CDLL(None).tgkill(supervisor, other, signal.SIGTERM) == 0
        assert container.ended()[0] == 0


@pytest.mark.parametrize(("code", "given"), [(7, 7), (0, 1)])
def test_a_worker_that_ends_by_itself_ends_the_container_after_the_other_has_finished(
    tmp_path: Path, code: int, given: int
) -> None:
    with _container(tmp_path, codes=(code, 0)) as container:
        container.fails["prefill"].touch()
        ended, printed = container.ended()
    # Whatever code it ends with, it has failed.
    assert ended == given
    assert "decode: finishes its requests" in printed
    *_, words, last = printed.splitlines()
    assert last == f"supervisor: prefill ended first, with code {code}; its last words are above"
    assert words == "prefill: cannot go on"


def test_a_worker_that_is_killed_gives_the_code_of_its_signal(tmp_path: Path) -> None:
    with _container(tmp_path) as container:
        children = subprocess.run(
            ["pgrep", "-P", str(container.process.pid)], capture_output=True, text=True, check=True
        )
        os.kill(int(children.stdout.split()[0]), signal.SIGKILL)
        code, printed = container.ended()
    assert code == 137
    assert "supervisor: prefill ended first, with code 137" in printed


def test_what_is_told_to_end_stays_live_so_that_its_end_is_not_taken_for_a_hang(tmp_path: Path) -> None:
    slow = WORKER.replace('print("finishes', 'import time; time.sleep(30); print("finishes')
    assert slow != WORKER
    with _container(tmp_path, worker=slow) as container:
        container.process.send_signal(signal.SIGTERM)
        until(lambda: container.asked("/health") == 503, "the end that began", 20)
        assert container.asked("/live") == 200


def test_the_others_get_the_time_that_the_pod_has() -> None:
    assert supervisor_script.GRACE_SECONDS == TERMINATION_GRACE_SECONDS
    assert supervisor_script.OWN_PORT == SYSTEM_PORT
