"""What a comparison asks git, and what it says where git has no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.errors import CommandError
from operations.revisions.git import Repository, repository_of
from tests.operations.revisions.repositories import TestRepository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def made(tmp_path: Path) -> TestRepository:
    return TestRepository.at(tmp_path / "repository")


def test_a_branch_a_tag_and_the_start_of_a_commit_name_a_commit(made: TestRepository) -> None:
    commit = made.commit(a="1")
    made.git("tag", "--annotate", "v1", "--message", "one")
    repository = Repository(made.root)
    assert [repository.commit(name) for name in ("main", "v1", "HEAD", commit[:8])] == 4 * [commit]


def test_the_name_nearest_to_an_unknown_one_is_proposed(made: TestRepository) -> None:
    made.commit(a="1")
    made.git("branch", "release-1.3")
    with pytest.raises(CommandError, match=r"no revision 'relaese-1.3'.*\n  try: release-1.3$"):
        Repository(made.root).commit("relaese-1.3")


def test_a_branch_that_only_the_remote_has_is_proposed(made: TestRepository, tmp_path: Path) -> None:
    made.commit(a="1")
    made.git("branch", "feature")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", str(made.root), str(clone))
    with pytest.raises(CommandError, match=r"try: origin/feature$"):
        Repository(clone).commit("feature")


@pytest.mark.parametrize("name", ["--all", "-h", "", "main:a.yaml"])
def test_an_option_or_a_file_is_no_revision(made: TestRepository, name: str) -> None:
    made.commit(a="1")
    with pytest.raises(CommandError, match="no revision"):
        Repository(made.root).commit(name)


def test_a_shallow_clone_says_how_to_get_the_rest(made: TestRepository, tmp_path: Path) -> None:
    first = made.commit(a="1")
    made.commit(a="2")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", "--depth=1", f"file://{made.root}", str(clone))
    with pytest.raises(CommandError, match=r"(?s)shallow.*git fetch --unshallow.*fetch-depth: 0"):
        Repository(clone).commit(first)


def test_two_revisions_part_at_their_merge_base(made: TestRepository) -> None:
    base = made.commit(a="1")
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit(a="2")
    made.git("checkout", "--quiet", "main")
    made.commit(b="1")
    assert Repository(made.root).merge_base("main", "feature") == base


def test_revisions_without_a_commit_in_common_are_said_to_have_none(made: TestRepository) -> None:
    made.commit(a="1")
    made.git("checkout", "--quiet", "--orphan", "other")
    made.commit(a="2")
    with pytest.raises(CommandError, match=r"no commit in common\n  try: main\.\.other"):
        Repository(made.root).merge_base("main", "other")


def test_the_files_of_a_commit_are_written_and_the_repository_stays_as_it_is(
    made: TestRepository, tmp_path: Path
) -> None:
    first = made.commit(a="1", folder__b="2")
    made.commit(a="3")
    before = made.git("status"), made.git("worktree", "list")
    Repository(made.root).write_files(first, tmp_path / "files")
    assert (tmp_path / "files/a.yaml").read_text() == "1"
    assert (tmp_path / "files/folder/b.yaml").read_text() == "2"
    assert (made.git("status"), made.git("worktree", "list")) == before


def test_a_commit_with_a_link_out_of_its_files_is_not_read(made: TestRepository, tmp_path: Path) -> None:
    (made.root / "link").symlink_to("/etc/passwd")
    commit = made.commit()
    with pytest.raises(CommandError, match="is not read"):
        Repository(made.root).write_files(commit, tmp_path / "files")


def test_a_commit_that_is_not_here_is_said_to_be_unreadable(made: TestRepository, tmp_path: Path) -> None:
    made.commit(a="1")
    with pytest.raises(CommandError, match=r"git cannot read commit 0{40}: "):
        Repository(made.root).write_files(40 * "0", tmp_path / "files")


def test_changed_new_and_renamed_files_of_the_working_tree_are_listed(made: TestRepository) -> None:
    made.commit(a="1", b="2", c="3" * 100)
    made.write(a="other", new="1")
    made.git("mv", "c.yaml", "d.yaml")
    assert sorted(Repository(made.root).changed_files()) == ["a.yaml", "d.yaml", "new.yaml"]


def test_a_folder_outside_of_a_repository_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"in no working tree of git.*\n  try: .*two folders"):
        repository_of(tmp_path)


def test_a_machine_without_git_is_said_to_have_none(
    made: TestRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="git is not installed"):
        repository_of(made.root)
