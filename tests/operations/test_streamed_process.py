"""A program that is read while it runs, and that never outlives its reader; kubectl port-forward is one."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

from operations import streamed_process
from operations.errors import CommandError
from operations.port_forward import PortForward
from operations.streamed_process import streamed
from tests.operations.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE_SECONDS = 30
_DEAF = "trap '' INT; sleep 300 & echo ready; wait"
"""Neither the shell nor what it started ends for SIGINT."""


def _deadline() -> float:
    return time.monotonic() + DEADLINE_SECONDS


@pytest.mark.parametrize(
    ("command", "lines", "code"),
    [
        (["printf", r"one\rtwo\nthree"], ["one", "two", "three"], 0),
        (["sh", "-c", "echo wrong >&2; exit 3"], ["wrong"], 3),
        # It hears a Ctrl-C of its own.
        (["sh", "-c", "kill -INT $$; echo deaf"], [], -signal.SIGINT),
    ],
    ids=["a bar's lines", "the error stream", "Ctrl-C"],
)
def test_each_line_is_read_to_the_end(command: list[str], lines: list[str], code: int) -> None:
    with streamed(command) as process:
        assert [line for line in process.lines(_deadline()) if line is not None] == lines
        assert process.exit_code() == code


def test_what_does_not_end_for_an_interruption_is_killed_with_all_that_it_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streamed_process, "_END_SECONDS", 0.1)
    with streamed(["sh", "-c", _DEAF]) as process:
        assert next(line for line in process.lines(_deadline()) if line) == "ready"
    # The end of the output is the end of everybody who could write to it.
    assert list(process.lines(_deadline())) == []


def test_a_port_forward_that_says_nothing_is_not_waited_for_for_ever(
    tmp_path: Path,
) -> None:
    cluster = FakeCluster(tmp_path)
    cluster.say("forwarding", "")
    with (
        PortForward(cluster.commands, "gpt-oss", "mine", seconds=1) as forward,
        pytest.raises(CommandError, match=r"did not start within 1 s: it says nothing"),
    ):
        forward.address()
