"""Runs `dynamo-stack` in this process, or as a process of its own."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.main import main

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """What a person would see."""

    code: int
    out: str
    err: str


class Command:
    """`dynamo-stack` in this process, started from a folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str | Path, folder: Path = ROOT) -> Answer:
        self._monkeypatch.chdir(folder)
        self._monkeypatch.setattr(sys, "argv", ["dynamo-stack", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        seen = self._capsys.readouterr()
        code = ended.value.code
        return Answer(code if isinstance(code, int) else int(code is not None), seen.out, seen.err)


def run_process(*arguments: str, folder: Path = ROOT) -> Answer:
    """The installed command."""
    command = [str(Path(sys.executable).parent / "dynamo-stack"), *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )
    return Answer(done.returncode, done.stdout, done.stderr)
