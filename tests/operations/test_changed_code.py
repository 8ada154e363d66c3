"""Which files of the program differ between two sides."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from comparison.recording import Side
from operations.changed_code import changed_code
from operations.errors import CommandError

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("cli/main.py", "requirements.txt", "Pulumi.dev.yaml", "recipes/catalogue/a/b.yaml", "docs/a.md")


def write(folder: Path, text: str) -> None:
    for name in FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, text: str) -> Side:
    write(folder, text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", text)
    return Side(text, git(folder, "rev-parse", "HEAD"), {})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_code_and_requirements_count_and_stack_files_recipes_and_documents_do_not(repository: Path) -> None:
    base, head = commit(repository, "one"), commit(repository, "two")
    assert changed_code(base, head) == ("cli/main.py", "requirements.txt")
    assert changed_code(head, head) == ()


def test_a_working_tree_is_compared_where_there_is_no_newer_commit(repository: Path) -> None:
    base = commit(repository, "one")
    (repository / "cli" / "main.py").write_text("two", encoding="utf-8")
    assert changed_code(base, Side("working tree", None, {})) == ("cli/main.py",)


def test_a_file_that_is_moved_counts_under_both_names(repository: Path) -> None:
    base = commit(repository, "one")
    git(repository, "mv", "cli/main.py", "docs/main.py")
    git(repository, "commit", "--quiet", "--message", "moved")
    head = Side("two", git(repository, "rev-parse", "HEAD"), {})
    assert changed_code(base, head) == ("cli/main.py",)


def test_two_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    base, head = tmp_path / "base", tmp_path / "head"
    write(base, "one")
    write(head, "one")
    (head / "cli" / "new.py").write_text("", encoding="utf-8")
    (head / "requirements.txt").write_text("two", encoding="utf-8")
    sides = [Side(str(folder), None, {}) for folder in (base, head)]
    assert changed_code(*sides) == ("cli/new.py", "requirements.txt")


def test_folders_of_stack_files_alone_change_no_code(tmp_path: Path) -> None:
    for name in ("base", "head"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(name, encoding="utf-8")
    assert changed_code(*(Side(str(tmp_path / name), None, {}) for name in ("base", "head"))) == ()


def test_a_commit_that_is_not_there_is_said_in_one_sentence(repository: Path) -> None:
    base = commit(repository, "one")
    with pytest.raises(CommandError, match="git diff fails in "):
        changed_code(base, Side("two", "0" * 40, {}))
