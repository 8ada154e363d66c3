"""What a side is made of: the files that git gives, interpreter and packages, and what is kept of it."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from comparison.recording import Side
from operations.errors import CommandError
from operations.revisions import environment
from operations.revisions.cache import cache_directory
from operations.revisions.environment import interpreter_for
from operations.revisions.git import commit_of, merge_base, root_of, write_files
from operations.revisions.sides import changed_code
from tests.operations.revisions.repositories import MadeRepository

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
        if self.typed[-1][1:3] == ["-m", "venv"]:
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


def test_the_cache_is_the_user_s_own_and_readable_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "dynamo-stack/sides"
    assert cache_directory().stat().st_mode & 0o077 == 0
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CommandError, match=r"cannot be made: Not a directory\n  try: XDG_CACHE_HOME"):
        cache_directory()


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "repository")


def test_a_name_that_is_no_revision_is_refused_with_the_nearest(made: MadeRepository, tmp_path: Path) -> None:
    made.commit(a="1")
    made.git("branch", "release-1.3")
    for name in ("--all", "-h", "", "main:a.yaml"):
        with pytest.raises(CommandError, match="no revision"):
            commit_of(made.root, name)
    with pytest.raises(CommandError, match=r"no revision 'relaese-1.3'.*\n  try: release-1.3$"):
        commit_of(made.root, "relaese-1.3")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", str(made.root), str(clone))
    with pytest.raises(CommandError, match=r"try: origin/release-1.3$"):
        commit_of(clone, "release-1.3")


def test_a_shallow_clone_says_how_to_get_the_rest(made: MadeRepository, tmp_path: Path) -> None:
    first = made.commit(a="1")
    made.commit(a="2")
    clone = tmp_path / "clone"
    made.git("clone", "--quiet", "--depth=1", f"file://{made.root}", str(clone))
    with pytest.raises(CommandError, match=r"(?s)shallow.*git fetch --unshallow.*fetch-depth: 0"):
        commit_of(clone, first)


def test_revisions_without_a_commit_in_common_are_said_to_have_none(made: MadeRepository) -> None:
    made.commit(a="1")
    made.git("checkout", "--quiet", "--orphan", "other")
    made.commit(a="2")
    with pytest.raises(CommandError, match=r"no commit in common\n  try: main\.\.other"):
        merge_base(made.root, "main", "other")


def test_a_commit_that_is_not_here_or_links_out_of_its_files_is_not_read(
    made: MadeRepository, tmp_path: Path
) -> None:
    (made.root / "link").symlink_to("/etc/passwd")
    commit = made.commit()
    with pytest.raises(CommandError, match="is not read"):
        write_files(made.root, commit, tmp_path / "files")
    with pytest.raises(CommandError, match=r"git archive fails in "):
        write_files(made.root, 40 * "0", tmp_path / "others")


def test_without_a_repository_and_without_git_it_says_so(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=r"in no working tree of git.*\n  try: .*two folders"):
        root_of(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="git is not installed"):
        root_of(made.root)


FILES = ("cli/main.py", "requirements.txt", "Pulumi.dev.yaml", "recipes/catalogue/a/b.yaml", "docs/a.md")


def _write_files(folder: Path, text: str) -> None:
    for name in FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_code_and_requirements_count_as_code_and_stack_files_recipes_and_documents_do_not(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.root)
    _write_files(made.root, "one")
    base = Side("one", made.commit(), {})
    _write_files(made.root, "two")
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
        _write_files(folder, "one")
    (folders[1] / "cli" / "new.py").write_text("", encoding="utf-8")
    (folders[1] / "requirements.txt").write_text("two", encoding="utf-8")
    assert changed_code(base, head) == ("cli/new.py", "note.txt", "requirements.txt")
