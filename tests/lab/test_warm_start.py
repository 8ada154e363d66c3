"""A process that starts warm is for whoever started it what a cold one would be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lab.warm_start import VARIABLE, python_command
from tests.support.warm_start import warm_start

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 60

SHOWS_ITSELF = """
import os, sys
print(sys.argv, os.getcwd(), sys.path[0], os.environ["GIVEN"], sys.stdin.read(), "PATH" in os.environ)
print("and an error", file=sys.stderr)
sys.exit(7)
"""
WAITS = """
import sys, time
try:
    sys.stdout.buffer.write(b"started\\n")
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(3)
"""
IMPORTS_ALL = "import sys\nassert 'pulumi_aws.ec2' in sys.modules, 'it is not warm'\n"


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, warm_start()[VARIABLE])


def _written(folder: Path, text: str) -> str:
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def _started(*arguments: str) -> subprocess.Popen[str]:
    command = python_command(sys.executable, "-u", *arguments)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def test_arguments_folder_environment_streams_and_exit_code_are_those_of_a_cold_start(tmp_path: Path) -> None:
    file = _written(tmp_path, SHOWS_ITSELF)
    answers = [
        subprocess.run(
            command,
            cwd=tmp_path,
            env={"GIVEN": "a", VARIABLE: os.environ[VARIABLE]},
            input="words",
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        for command in (
            [sys.executable, file, "one", "two"],
            python_command(sys.executable, file, "one", "two"),
        )
    ]
    cold, warm = ((each.returncode, each.stdout, each.stderr) for each in answers)
    assert warm == cold
    assert cold[0] == 7


def test_the_vendors_modules_are_there_before_the_program_begins(tmp_path: Path) -> None:
    command = python_command(sys.executable, _written(tmp_path, IMPORTS_ALL))
    assert subprocess.run(command, check=False, timeout=_SECONDS).returncode == 0


def test_a_signal_to_the_launcher_reaches_the_program(tmp_path: Path) -> None:
    process = _started(_written(tmp_path, WAITS))
    process.send_signal(signal.SIGINT)
    assert process.wait(_SECONDS) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_a_signal_ends_ends_its_launcher_the_same_way_and_its_output_closes(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = _started(_written(tmp_path, WAITS))
    process.send_signal(number)
    # Returns when nobody holds the pipe any more: not the launcher, and not the program.
    assert process.communicate(timeout=_SECONDS)[0] == ""
    assert process.returncode == -number


def test_a_program_of_another_virtualenv_starts_cold(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    assert python_command(str(python), "program.py") == [str(python), "program.py"]
