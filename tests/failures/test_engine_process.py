"""What the engine was asked to do, read from a process of its name that runs a program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from failures.engine_process import engine_pid, makes_resources

ROOT = Path(__file__).parents[3]
PROGRAM = """
import pathlib, sys

def no_such_file(*_, **__):
    raise FileNotFoundError

if sys.argv[1:] == ["without-proc"]:
    pathlib.Path.read_text = no_such_file
from failures.engine_process import engine_pid, makes_resources
print(makes_resources(), engine_pid())
"""


@pytest.mark.parametrize(
    ("command", "makes", "system"),
    [
        ("--non-interactive update", True, "with-proc"),
        ("destroy --run-program --stack dev", False, "with-proc"),
        ("--cwd /somewhere down --run-program", False, "without-proc"),
        ("refresh --run-program", False, "with-proc"),
        ("of another time", True, "without-proc"),
    ],
)
def test_only_commands_that_make_things_are_taken_for_such(
    tmp_path: Path, command: str, makes: bool, system: str
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    engine = tmp_path / "pulumi"
    # The language host stands between engine and program.
    run = f"sh -c '{sys.executable} {tmp_path}/program.py {system}; true'"
    engine.write_text(f"#!/bin/sh\n{run}\necho $$\n", encoding="utf-8")
    engine.chmod(0o755)
    done = subprocess.run(
        [engine, *command.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "40"},
        capture_output=True,
        text=True,
        check=True,
    )
    found, pid, engines = done.stdout.split()
    assert (found, pid) == (str(makes), engines)


def test_a_program_that_no_engine_runs_makes_what_it_registers() -> None:
    assert engine_pid() is None
    assert makes_resources()
