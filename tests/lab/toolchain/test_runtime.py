"""The Dynamo runtime's wheel where it cannot be installed: a reason, an exit code, and nothing half done."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.interruption import SAID
from lab.toolchain.runtime import RUNTIME
from tests.support.running import running_in
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]
DEADLINE_SECONDS = 60


@pytest.fixture
def silent_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A package index that takes connections and answers none."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        _index(monkeypatch, f"http://127.0.0.1:{listener.getsockname()[1]}/simple")
        yield listener


def test_a_python_that_the_wheel_is_not_built_for_ends_with_what_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError) as refused:
        RUNTIME.install_missing(tmp_path, print)
    said = str(refused.value)
    assert "built for Python 3.10, 3.11, 3.12, and none of them is on PATH (this is 3.14)" in said
    assert "`make lab-up PODS=simulated`" in said
    assert list(tmp_path.iterdir()) == []


def test_an_index_out_of_reach_ends_with_its_reason_and_leaves_no_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(monkeypatch, "http://127.0.0.1:9/simple")
    with pytest.raises(LabError) as refused:
        RUNTIME.install_missing(tmp_path, print)
    said = str(refused.value)
    assert said.startswith("the Dynamo runtime cannot be installed:\n")
    assert "127.0.0.1:9" in said
    assert "running the command again resumes; `make lab-up PODS=simulated`" in said
    assert not RUNTIME.python(tmp_path).exists()


def test_a_wheel_with_another_hash_is_not_installed(tmp_path: Path) -> None:
    [pinned] = re.findall(r"^six==[\d.]+", RUNTIME.lock.read_text(encoding="utf-8"), re.MULTILINE)
    lock = tmp_path / "requirements.txt"
    lock.write_text(f"{pinned} --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    other = replace(RUNTIME, lock=lock)
    with pytest.raises(LabError, match=r"cannot be installed:(.|\n)*[Hh]ash mismatch"):
        other.install_missing(tmp_path / "cache", print)
    assert not other.python(tmp_path / "cache").exists()


def test_ctrl_c_while_the_runtime_is_installed_leaves_no_process(
    tmp_path: Path, silent_index: socket.socket
) -> None:
    program = (
        "from pathlib import Path; import sys\n"
        "from lab.interruption import end_when_interrupted\n"
        "from lab.toolchain.runtime import RUNTIME\n"
        "end_when_interrupted()\n"
        "RUNTIME.install_missing(Path(sys.argv[1]), print)\n"
    )
    command = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    silent_index.settimeout(DEADLINE_SECONDS)
    asked, _ = silent_index.accept()
    with asked:
        os.killpg(command.pid, signal.SIGINT)
        said, _ = command.communicate(timeout=DEADLINE_SECONDS)
    assert (command.returncode, SAID in said, "Traceback" in said) == (130, True, False), said
    until(lambda: running_in(tmp_path) == [], "the installer's end", DEADLINE_SECONDS)
    assert not RUNTIME.python(tmp_path).exists()


def _index(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(name, address)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("UV_NO_CACHE", "1")
