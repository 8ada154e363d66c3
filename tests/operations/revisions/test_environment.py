"""Which interpreter records a side, which packages it has, and what is kept for the next comparison."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from operations.errors import CommandError
from operations.revisions import environment
from operations.revisions.cache import cache_directory, made_once
from operations.revisions.environment import interpreter_for

HASH = "--hash=sha256:" + 64 * "0"
PYDANTIC = importlib.metadata.version("pydantic")
OTHER = f"pydantic==1.0 \\\n    {HASH}\n"


class Installers:
    """The commands that would install packages, each with its environment."""

    def __init__(self) -> None:
        self.typed: list[list[str]] = []
        self.environments: list[dict[str, str]] = []
        self.failure = ""

    def run(self, command: list[str], env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        self.typed.append(list(command))
        self.environments.append(env)
        if command[1:3] == ["-m", "venv"]:
            Path(command[3]).mkdir()
        return subprocess.CompletedProcess(command, int(bool(self.failure)), "", self.failure)


@pytest.fixture
def installers(monkeypatch: pytest.MonkeyPatch) -> Installers:
    found = Installers()
    monkeypatch.setattr(environment.subprocess, "run", found.run)
    return found


def _interpreter(tmp_path: Path, lock: str | None) -> Path:
    """That of code with this lock."""
    code = tmp_path / "code"
    code.mkdir(exist_ok=True)
    if lock is not None:
        (code / "requirements.txt").write_text(lock)
    return interpreter_for(code, "main", tmp_path / "cache")


def test_an_interpreter_that_has_the_locked_packages_is_used_again(tmp_path: Path) -> None:
    lock = (
        f"# made by a tool\npydantic=={PYDANTIC} \\\n    {HASH}\n"
        f"colorama==0.1 ; sys_platform == 'win32' \\\n    {HASH}\n"
    )
    assert _interpreter(tmp_path, lock) == Path(sys.executable)


def test_other_packages_are_installed_once_as_wheels_with_their_hashes_and_without_credentials(
    tmp_path: Path, installers: Installers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1/simple")
    python = _interpreter(tmp_path, OTHER)
    assert python == _interpreter(tmp_path, OTHER)
    venv, packages = installers.typed
    assert venv == [sys.executable, "-m", "venv", str(python.parents[1])]
    assert packages[:3] == [str(python), "-m", "pip"]
    assert {"--require-hashes", "--only-binary", ":all:"} <= set(packages)
    assert packages[-1] == str(tmp_path / "code" / "requirements.txt")
    for each in installers.environments:
        assert "AWS_SECRET_ACCESS_KEY" not in each
        assert each["PIP_INDEX_URL"] == "http://127.0.0.1/simple"


@pytest.mark.parametrize(
    ("lock", "said"),
    [
        ("--index-url http://127.0.0.1\npydantic==1.0\n", "has a line that locks nothing: "),
        ("-r ../other.txt\npydantic==1.0\n", "has a line that locks nothing: "),
        ("./folder\npydantic==1.0\n", "has a line that locks nothing: "),
        ("pydantic @ http://127.0.0.1/pydantic.whl\n", "takes pydantic from an address"),
        (None, "main has no requirements.txt, so nobody knows"),
    ],
)
def test_a_lock_that_leads_elsewhere_or_is_missing_is_refused(
    tmp_path: Path, lock: str | None, said: str, installers: Installers
) -> None:
    with pytest.raises(CommandError, match=said):
        _interpreter(tmp_path, lock)
    assert installers.typed == []


def test_an_installation_that_fails_is_said_and_tried_again_the_next_time(
    tmp_path: Path, installers: Installers
) -> None:
    installers.failure = "no such wheel\n"
    for tried in (1, 2):
        with pytest.raises(CommandError, match=r"^main: its packages cannot be installed: no such wheel$"):
            _interpreter(tmp_path, OTHER)
        assert len(installers.typed) == tried


def _write(folder: Path) -> None:
    folder.mkdir()
    (folder / "file").write_text("whole")


def _fail(folder: Path) -> None:
    folder.mkdir()
    (folder / "file").write_text("half")
    raise CommandError("interrupted")


def test_an_entry_that_was_left_half_made_is_made_again_and_a_whole_one_stays(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        made_once(tmp_path / "a", _fail)
    made_once(tmp_path / "a", _write)
    assert made_once(tmp_path / "a", _fail) == tmp_path / "a"
    assert (tmp_path / "a/file").read_text() == "whole"


def test_the_cache_is_the_user_s_own_and_readable_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "dynamo-stack/sides"
    assert cache_directory().stat().st_mode & 0o077 == 0
    # A relative folder counts as none.
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache/dynamo-stack/sides"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CommandError, match=r"cannot be made: Not a directory\n  try: XDG_CACHE_HOME"):
        cache_directory()
