"""When `.ci/run` tries the lab again."""

import subprocess
from pathlib import Path

import pytest

from tests.lab.green import GREEN, digest, is_green


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("lab/a.py", "tests/lab/test_a.py", "rules/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    (tmp_path / ".gitignore").write_text("*.pyc\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / GREEN).write_text(digest(tmp_path) + "\n")
    return tmp_path


def test_a_lab_as_it_was_is_not_tried_again(repository: Path) -> None:
    (repository / "rules/b.py").write_text("two")
    (repository / "lab/a.pyc").write_text("compiled")
    assert is_green(repository)


@pytest.mark.parametrize("name", ["lab/a.py", "tests/lab/test_a.py", "lab/not_added_yet.json"])
def test_a_changed_new_or_removed_file_is_tried(repository: Path, name: str) -> None:
    (repository / name).write_text("two")
    assert not is_green(repository)
    (repository / name).unlink()
    assert is_green(repository) is (name == "lab/not_added_yet.json")
