"""What a comparison asks git, what it says where git has no answer, and which files of code differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from comparison.recording import Side
from operations.changed_code import changed_code
from operations.errors import CommandError
from operations.revisions.git import Repository, repository_of
from tests.operations.revisions.repositories import TestRepository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def made(tmp_path: Path) -> TestRepository:
    return TestRepository.at(tmp_path / "repository")


def test_a_name_that_is_no_revision_is_refused_with_the_nearest(made: TestRepository, tmp_path: Path) -> None:
    made.commit(a="1")
    made.git("branch", "release-1.3")
    for name in ("--all", "-h", "", "main:a.yaml"):
        with pytest.raises(CommandError, match="no revision"):
            Repository(made.root).commit(name)
    with pytest.raises(CommandError, match=r"no revision 'relaese-1.3'.*\n  try: release-1.3$"):
        Repository(made.root).commit("relaese-1.3")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", str(made.root), str(clone))
    with pytest.raises(CommandError, match=r"try: origin/release-1.3$"):
        Repository(clone).commit("release-1.3")


def test_a_shallow_clone_says_how_to_get_the_rest(made: TestRepository, tmp_path: Path) -> None:
    first = made.commit(a="1")
    made.commit(a="2")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", "--depth=1", f"file://{made.root}", str(clone))
    with pytest.raises(CommandError, match=r"(?s)shallow.*git fetch --unshallow.*fetch-depth: 0"):
        Repository(clone).commit(first)


def test_revisions_without_a_commit_in_common_are_said_to_have_none(made: TestRepository) -> None:
    made.commit(a="1")
    made.git("checkout", "--quiet", "--orphan", "other")
    made.commit(a="2")
    with pytest.raises(CommandError, match=r"no commit in common\n  try: main\.\.other"):
        Repository(made.root).merge_base("main", "other")


def test_a_commit_that_is_not_here_or_links_out_of_its_files_is_not_read(
    made: TestRepository, tmp_path: Path
) -> None:
    (made.root / "link").symlink_to("/etc/passwd")
    commit = made.commit()
    with pytest.raises(CommandError, match="is not read"):
        Repository(made.root).write_files(commit, tmp_path / "files")
    with pytest.raises(CommandError, match=r"git archive fails in "):
        Repository(made.root).write_files(40 * "0", tmp_path / "others")


def test_without_a_repository_and_without_git_it_says_so(
    made: TestRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=r"in no working tree of git.*\n  try: .*two folders"):
        repository_of(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="git is not installed"):
        repository_of(made.root)


FILES = ("cli/main.py", "requirements.txt", "Pulumi.dev.yaml", "recipes/catalogue/a/b.yaml", "docs/a.md")


def _write(folder: Path, text: str) -> None:
    for name in FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_code_and_requirements_count_as_code_and_stack_files_recipes_and_documents_do_not(
    made: TestRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.root)
    _write(made.root, "one")
    base = Side("one", made.commit(), {})
    _write(made.root, "two")
    assert changed_code(base, Side("working tree", None, {})) == ("cli/main.py", "requirements.txt")
    head = Side("two", made.commit(), {})
    assert changed_code(base, head) == ("cli/main.py", "requirements.txt")
    assert changed_code(head, head) == ()
    made.git("mv", "cli/main.py", "docs/main.py")
    # A file that is moved counts under both names.
    assert changed_code(head, Side("three", made.commit(), {})) == ("cli/main.py",)
    with pytest.raises(CommandError, match="git diff fails in "):
        changed_code(base, Side("two", "0" * 40, {}))


def test_two_folders_are_compared_file_by_file_and_stack_files_alone_change_no_code(tmp_path: Path) -> None:
    folders = tmp_path / "base", tmp_path / "head"
    for folder in folders:
        folder.mkdir()
        (folder / "note.txt").write_text(folder.name, encoding="utf-8")
    base, head = (Side(str(folder), None, {}) for folder in folders)
    assert changed_code(base, head) == ()
    for folder in folders:
        _write(folder, "one")
    (folders[1] / "cli" / "new.py").write_text("", encoding="utf-8")
    (folders[1] / "requirements.txt").write_text("two", encoding="utf-8")
    assert changed_code(base, head) == ("cli/new.py", "note.txt", "requirements.txt")
