"""Ctrl-C in the lab's commands: what it leaves, the same commands take up again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.running import running_in

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 300
SAID = "interrupted; running the command again continues"


def ran(folder: Path, word: str, *, interrupted_after: float | None = None) -> tuple[int, str]:
    """Exit code and output of a command of the lab; SIGINT goes to all of its group, as in a terminal."""
    command = subprocess.Popen(
        [sys.executable, "-m", "lab", word],
        cwd=ROOT,
        env=os.environ | {"LAB_DIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    if interrupted_after is not None:
        time.sleep(interrupted_after)
        os.killpg(command.pid, signal.SIGINT)
    out, _ = command.communicate(timeout=DEADLINE_SECONDS)
    return command.returncode, out


@pytest.mark.lab
@pytest.mark.slow
def test_an_interrupted_lab_up_is_continued_by_up_and_taken_down_by_down(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    seconds = os.environ.get("INTERRUPT_AFTER", "0.5,1,2,3,4,5,6,12").split(",")
    try:
        for after in map(float, seconds):
            code, out = ran(folder, "up", interrupted_after=after)
            assert code == 130, (after, out)
            assert SAID in " ".join(out.split()), (after, out)
            assert "Traceback" not in out, (after, out)
        code, out = ran(folder, "up")
        assert (code, "stack dev:" in out) == (0, True), out
        code, out = ran(folder, "down", interrupted_after=2)
        assert code == 130, out
    finally:
        code, out = ran(folder, "down")
    assert code == 0, out
    assert running_in(folder) == []
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
