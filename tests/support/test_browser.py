"""Chromium is installed where it can be, and a sentence says what to type where it cannot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from lab.errors import LabError
from tests.support import browser
from tests.support.browser import install_missing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of PATH; nobody else's lock is waited for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(browser, "of_all_labs", lambda name: tmp_path / name)
    return folder


def program(file: Path, script: str) -> Path:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_a_browser_that_is_there_is_taken_without_a_word(path: Path) -> None:
    said: list[str] = []
    chromium = program(path / "chromium", "exit 1")
    assert install_missing(said.append) == chromium
    assert said == []


def test_root_with_apt_get_installs_it_and_says_how_long_that_took(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    log = path.parent / "log"
    program(
        path / "apt-get",
        f'echo "$DEBIAN_FRONTEND $@" >> {log}\n'
        f'[ "$1" = update ] || {{ echo "#!/bin/sh" > {path}/chromium; /bin/chmod +x {path}/chromium; }}',
    )
    said: list[str] = []
    assert install_missing(said.append) == path / "chromium"
    assert log.read_text().splitlines() == [
        "noninteractive update --quiet",
        "noninteractive install --quiet --yes --no-install-recommends chromium fonts-dejavu-core",
    ]
    assert said[0].startswith("installing Debian's Chromium, about 125 MB, once per machine")
    assert said[-1].startswith("installed Chromium in ")


def test_without_apt_get_a_sentence_says_what_is_missing(path: Path) -> None:
    with pytest.raises(LabError, match="there is no apt-get to install it with: install it"):
        install_missing(print)


def test_a_user_is_told_what_to_type(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(path / "apt-get", "exit 1")
    with pytest.raises(LabError, match="type sudo apt-get install chromium fonts-dejavu-core"):
        install_missing(print)


def test_what_apt_get_says_is_handed_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(path / "apt-get", "echo no network >&2; exit 100")
    with pytest.raises(LabError, match="Chromium cannot be installed:\nno network\neverything but the tests"):
        install_missing(print)
