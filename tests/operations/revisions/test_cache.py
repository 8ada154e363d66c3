"""What is kept for the next comparison."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from operations.errors import CommandError
from operations.revisions.cache import cache_directory, forget_unused, made_once

if TYPE_CHECKING:
    from pathlib import Path


def _write(folder: Path) -> None:
    folder.mkdir()
    (folder / "file").write_text("whole")


def _fail(folder: Path) -> None:
    folder.mkdir()
    (folder / "file").write_text("half")
    raise CommandError("interrupted")


def test_an_entry_is_made_once(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        _write(folder)

    assert made_once(tmp_path / "a/b", make) == made_once(tmp_path / "a/b", make)
    assert len(made) == 1


def test_an_entry_that_was_left_half_made_is_made_again(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        made_once(tmp_path / "a", _fail)
    made_once(tmp_path / "a", _write)
    assert (tmp_path / "a/file").read_text() == "whole"


def test_two_runs_do_not_make_one_entry_at_the_same_time(tmp_path: Path) -> None:
    entered, may_go_on, made = threading.Event(), threading.Event(), []

    def slowly(folder: Path) -> None:
        entered.set()
        assert may_go_on.wait(20)
        made.append("slowly")
        _write(folder)

    one = threading.Thread(target=made_once, args=(tmp_path / "a", slowly))
    other = threading.Thread(target=made_once, args=(tmp_path / "a", lambda _: made.append("again")))
    one.start()
    assert entered.wait(20)
    other.start()
    may_go_on.set()
    one.join(20)
    other.join(20)
    assert made == ["slowly"]


def test_what_was_not_used_for_a_month_is_removed_and_the_rest_stays(tmp_path: Path) -> None:
    old = made_once(tmp_path / "files/old", _write)
    new = made_once(tmp_path / "files/new", _write)
    month_ago = time.time() - 31 * 24 * 3600
    os.utime(tmp_path / "files/old.complete", (month_ago, month_ago))
    forget_unused(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)
    made_once(old, _write)
    assert old.exists()


def test_the_cache_is_the_user_s_own_and_readable_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "dynamo-stack/sides"
    assert cache_directory().stat().st_mode & 0o077 == 0


def test_a_relative_cache_folder_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache/dynamo-stack/sides"


def test_a_cache_that_cannot_be_made_is_said_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CommandError, match=r"cannot be made: Not a directory\n  try: XDG_CACHE_HOME"):
        cache_directory()
