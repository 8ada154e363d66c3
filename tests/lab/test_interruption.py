"""Ctrl-C in the lab's commands: what it leaves, the same commands take up again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.running import running_in
from tests.support.waiting import until

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 300
SAID = "interrupted; running the command again continues"


def ran(folder: Path, word: str, *, interrupted: float | str | None = None) -> tuple[int, str]:
    """Exit code and output of a command of the lab.

    Args:
        folder: the lab's.
        word: the command.
        interrupted: after how many seconds, or once it has said this. SIGINT goes to all of its group, as in
            a terminal.
    """
    log = folder.parent / "said"
    with log.open("w") as said:
        command = subprocess.Popen(
            [sys.executable, "-m", "lab", word],
            cwd=ROOT,
            env=os.environ | {"LAB_DIR": str(folder)},
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    if isinstance(interrupted, str):
        until(lambda: interrupted in log.read_text(), interrupted, seen=log.read_text)
    elif interrupted is not None:
        time.sleep(interrupted)
    if interrupted is not None:
        os.killpg(command.pid, signal.SIGINT)
    return command.wait(DEADLINE_SECONDS), log.read_text()


@pytest.mark.lab
@pytest.mark.slow
def test_an_interrupted_lab_up_is_continued_by_up_and_taken_down_by_down(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    seconds = os.environ.get("INTERRUPT_AFTER", "0.5,1,2,3,4,5").split(",")
    try:
        # An idle machine has furnished the cluster by then: a later second may be after the end.
        for after in (*map(float, seconds), "Updating (dev)"):
            code, out = ran(folder, "up", interrupted=after)
            assert code == 130, (after, out)
            assert SAID in " ".join(out.split()), (after, out)
            assert "Traceback" not in out, (after, out)
        code, out = ran(folder, "up")
        assert (code, "stack dev:" in out) == (0, True), out
        code, out = ran(folder, "down", interrupted=2)
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
