"""Ctrl-C in the lab's commands: what it leaves, the same commands take up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 300
SAID = "interrupted; running the command again continues"


def begun(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The command in a process group of its own, as a terminal starts it."""
    return subprocess.Popen(
        words,
        cwd=ROOT,
        env=os.environ | {"LAB_DIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def interrupted(folder: Path, *words: str, after: float) -> tuple[int, str]:
    """Exit code and output of a command that is sent SIGINT, with all of its group, after so many seconds."""
    command = begun(folder, *words)
    time.sleep(after)
    os.killpg(command.pid, signal.SIGINT)
    out, _ = command.communicate(timeout=DEADLINE_SECONDS)
    return command.returncode, out


def ended(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and output of a command that nobody interrupts."""
    command = begun(folder, *words)
    out, _ = command.communicate(timeout=DEADLINE_SECONDS)
    return command.returncode, out


def left_processes(folder: Path) -> list[str]:
    """What still runs of a lab."""
    words = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    return [word for word in words if str(folder) in word]


@pytest.mark.lab
@pytest.mark.slow
def test_an_interrupted_lab_up_is_continued_by_up_and_taken_down_by_down(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    up, down = ((sys.executable, "-m", "lab", word) for word in ("up", "down"))
    seconds = os.environ.get("INTERRUPT_AFTER", "0.5,1,2,3,4,5,6,12").split(",")
    try:
        for after in map(float, seconds):
            code, out = interrupted(folder, *up, after=after)
            assert code == 130, (after, out)
            assert SAID in " ".join(out.split()), (after, out)
            assert "Traceback" not in out, (after, out)
        code, out = ended(folder, *up)
        assert (code, "stack dev:" in out) == (0, True), out
        code, out = interrupted(folder, *down, after=2)
        assert code == 130, out
    finally:
        code, out = ended(folder, *down)
    assert code == 0, out
    assert left_processes(folder) == []
    assert not folder.exists()


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.parametrize("after", [3, 12])
def test_down_right_after_an_interrupted_up_leaves_nothing(tmp_path: Path, after: float) -> None:
    folder = tmp_path / "lab"
    up, down = ((sys.executable, "-m", "lab", word) for word in ("up", "down"))
    try:
        code, out = interrupted(folder, *up, after=after)
        assert (code, "Traceback" in out) == (130, False), out
    finally:
        code, out = ended(folder, *down)
    assert code == 0, out
    assert left_processes(folder) == []
    assert not folder.exists()


def test_lab_down_in_a_fresh_clone_installs_nothing(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text(encoding="utf-8"), encoding="utf-8")
    # Told of a make around it, make speaks of the folders that it enters.
    told = {"LAB_DIR", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    variables = {key: value for key, value in os.environ.items() if key not in told}
    done = subprocess.run(
        ["make", "lab-down"], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "lab: there is nothing to take down\n")
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]
