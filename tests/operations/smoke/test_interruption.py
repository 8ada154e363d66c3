"""Ctrl-C, and a pipeline that ends the command, in the middle of an answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.command import ROOT
from tests.operations.smoke.answers import CHAT
from tests.operations.smoke.cluster import Cluster
from tests.operations.smoke.loopback import DEADLINE_SECONDS, Reply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.operations.smoke.loopback import Loopback

COMMAND = [sys.executable, "-c", "from cli.main import main; main()", "smoke", "dev"]


@pytest.mark.parametrize(
    ("number", "code", "path"),
    [(signal.SIGINT, 130, CHAT), (signal.SIGTERM, 143, "/health")],
)
def test_it_ends_at_once_and_leaves_no_port_forward(
    number: signal.Signals, code: int, path: str, server: Loopback, tmp_path: Path
) -> None:
    cluster = Cluster.at(tmp_path, server.port)
    server.replies[path] = Reply(silent=True)
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=os.environ | cluster.variables | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.first_silence.wait(DEADLINE_SECONDS)
        assert len(cluster.live_forwards()) == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert cluster.live_forwards() == []
    if number is signal.SIGINT:
        assert "interrupted; nothing was changed" in err
