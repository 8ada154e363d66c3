"""Which interpreter records a side, and which packages it has."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from operations.errors import CommandError
from operations.revisions import environment
from operations.revisions.environment import interpreter_for

HASH = "--hash=sha256:" + 64 * "0"
PYDANTIC = importlib.metadata.version("pydantic")


def _code(folder: Path, lock: str | None) -> Path:
    folder.mkdir()
    if lock is not None:
        (folder / "requirements.txt").write_text(lock)
    return folder


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would install packages."""
    made: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        made.append(list(command))
        if command[1:3] == ["-m", "venv"]:
            Path(command[3]).mkdir()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(environment.subprocess, "run", run)
    return made


def test_an_interpreter_that_has_the_locked_packages_is_used_again(tmp_path: Path) -> None:
    lock = (
        f"# made by a tool\npydantic=={PYDANTIC} \\\n    {HASH}\n"
        f"colorama==0.1 ; sys_platform == 'win32' \\\n    {HASH}\n"
    )
    code = _code(tmp_path / "code", lock)
    assert interpreter_for(code, "main", tmp_path / "cache") == Path(sys.executable)


def test_other_packages_are_installed_once_as_wheels_with_their_hashes(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    code = _code(tmp_path / "code", f"pydantic==1.0 \\\n    {HASH}\n")
    (code / "requirements-uv.txt").write_text(f"uv==0.13.8 {HASH}\n")
    python = interpreter_for(code, "main", tmp_path / "cache")
    assert python == interpreter_for(code, "main", tmp_path / "cache")
    venv, uv, packages = commands
    assert venv == [sys.executable, "-m", "venv", str(python.parents[1])]
    for command in (uv, packages):
        assert {"--require-hashes", "--only-binary", ":all:"} <= set(command)
    assert packages[-1] == str(code / "requirements.txt")


@pytest.mark.parametrize("line", ["--index-url http://127.0.0.1", "-r ../other.txt", "-e .", "./folder"])
def test_a_lock_that_leads_elsewhere_is_refused(tmp_path: Path, line: str, commands: list[list[str]]) -> None:
    code = _code(tmp_path / "code", f"{line}\npydantic==1.0\n")
    with pytest.raises(CommandError, match=r"main: requirements.txt has a line that locks nothing: "):
        interpreter_for(code, "main", tmp_path / "cache")
    assert commands == []


def test_a_package_from_an_address_is_refused(tmp_path: Path) -> None:
    code = _code(tmp_path / "code", "pydantic @ http://127.0.0.1/pydantic.whl\n")
    with pytest.raises(CommandError, match="takes pydantic from an address"):
        interpreter_for(code, "main", tmp_path / "cache")


def test_a_side_without_a_lock_is_said_to_have_none(tmp_path: Path) -> None:
    code = _code(tmp_path / "code", None)
    with pytest.raises(CommandError, match=r"^main has no requirements.txt, so nobody knows"):
        interpreter_for(code, "main", tmp_path / "cache")


def test_an_installation_that_fails_is_said_and_tried_again_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = _code(tmp_path / "code", f"pydantic==1.0 \\\n    {HASH}\n")
    (code / "requirements-uv.txt").write_text("")
    failed = subprocess.CompletedProcess([], 1, "", "no such wheel\n")
    monkeypatch.setattr(environment.subprocess, "run", lambda *_, **__: failed)
    for _ in range(2):
        with pytest.raises(CommandError, match=r"^main: its packages cannot be installed: no such wheel$"):
            interpreter_for(code, "main", tmp_path / "cache")


def test_no_credentials_reach_the_installers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []

    def run(command: list[str], env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        seen.append(env)
        return subprocess.CompletedProcess(command, 1, "", "no")

    monkeypatch.setattr(environment.subprocess, "run", run)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1/simple")
    code = _code(tmp_path / "code", "pydantic==1.0\n")
    (code / "requirements-uv.txt").write_text("")
    with pytest.raises(CommandError):
        interpreter_for(code, "main", tmp_path / "cache")
    assert "AWS_SECRET_ACCESS_KEY" not in seen[0]
    assert seen[0]["PIP_INDEX_URL"] == "http://127.0.0.1/simple"
