"""Engines of one pod with one port: the second one ends, as the real one does."""

from __future__ import annotations

import socket
import subprocess
import sys

from lab.runtime_image import SITE

POD = "127.9.8.7"
WHAT = "metrics of forward passes"
HOLD = f"import engine_ports, sys; engine_ports.hold(sys.argv[1], {{'{WHAT}': int(sys.argv[2])}})"
SEEN_AFTER_EXEC = f"{HOLD}; import os; os.execv('/bin/cat', ['cat'])"


def _engine(program: str, address: str, port: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, address, str(port)],
        env={"PYTHONPATH": str(SITE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((POD, 0))
        return int(probe.getsockname()[1])


def test_a_second_engine_of_the_pod_at_the_port_ends_with_the_words_of_the_first_s_library() -> None:
    port = _free_port()
    with _engine(SEEN_AFTER_EXEC, POD, port) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write("serving\n")
        first.stdin.flush()
        assert first.stdout.readline() == "serving\n"
        with _engine(HOLD, POD, port) as second:
            _, said = second.communicate()
        with _engine(HOLD, "127.9.8.8", port) as elsewhere:
            elsewhere.communicate()
        first.communicate()
    assert second.returncode == 1
    assert f"Address already in use (addr='tcp://*:{port}'): {WHAT}" in said
    assert elsewhere.returncode == 0, "another pod has an address of its own"
