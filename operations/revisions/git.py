"""What a comparison asks git."""

import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

from operations.errors import CommandError
from resource_graph.printable import one_line
from resource_graph.spelling import nearest

_LONGEST_MESSAGE = 300
_WHOLE_HISTORY = "`git fetch --unshallow`; in GitHub Actions, actions/checkout with `fetch-depth: 0`"


def root_of(folder: Path) -> Path:
    """Return the root of the repository that a folder belongs to.

    Raises:
        CommandError: there is none, or no git.

    """
    done = _run(folder, "rev-parse", "--show-toplevel")
    if done.returncode == 0 and done.stdout.strip():
        return Path(done.stdout.strip())
    if "dubious ownership" in done.stderr:
        raise CommandError(
            f"git does not read {folder}: it belongs to another user\n"
            f"  try: git config --global --add safe.directory {folder}"
        )
    raise CommandError(
        f"{folder} is in no working tree of git, so there are no revisions to compare\n"
        "  try: run this in a clone of the repository, or name two folders"
    )


def commit_of(root: Path, revision: str) -> str:
    """Return the commit that a branch, tag or commit names, as 40 hexadecimal digits.

    Raises:
        CommandError: there is none, or the history that is here does not reach it.

    """
    is_option = revision.startswith("-")
    found = "" if is_option else _answer(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not found:
        raise CommandError(_unknown(root, revision))
    return found


def merge_base(root: Path, one: str, other: str) -> str:
    """Return the commit at which two revisions parted.

    Raises:
        CommandError: a revision is unknown, or they have no commit in common here.

    """
    found = _answer(root, "merge-base", commit_of(root, one), commit_of(root, other))
    if not found:
        why = f"{one} and {other} have no commit in common"
        if _is_shallow(root):
            raise CommandError(f"{why} in this shallow clone\n  try: {_WHOLE_HISTORY}")
        raise CommandError(f"{why}\n  try: {one}..{other}, which compares the two as they are")
    return found


def changed_files(root: Path) -> tuple[str, ...]:
    """Return the files of the working tree that no commit has as they are, from the root.

    A rename counts under both of its names.
    """
    entries = _said(root, "status", "--porcelain=v1", "--no-renames", "-z").split("\0")
    return tuple(entry[3:] for entry in entries if entry)


def differing_files(root: Path, base: str, head: str | None) -> tuple[str, ...]:
    """Return the files that differ between two commits, from the root; None: the working tree.

    A rename counts under both of its names.
    """
    commits = (base,) if head is None else (base, head)
    listed = _said(root, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", *commits, "--")
    return tuple(filter(None, listed.split("\0")))


def write_files(root: Path, commit: str, folder: Path) -> None:
    """Write all files of a commit into a folder that does not exist yet.

    The repository is left as it is: no worktree is registered, no index touched.

    Raises:
        CommandError: git cannot read the commit, or it has a link out of its own files.

    """
    folder.mkdir()
    with tempfile.NamedTemporaryFile() as file:
        _said(root, "archive", "--format=tar", f"--output={file.name}", commit)
        try:
            with tarfile.open(file.name) as archive:
                archive.extractall(folder, filter="data")
        except tarfile.FilterError as error:
            raise CommandError(
                f"commit {commit}: {one_line(str(error), _LONGEST_MESSAGE)}; it is not read"
            ) from None


def _is_shallow(root: Path) -> bool:
    """Whether only a part of the history is here."""
    return _answer(root, "rev-parse", "--is-shallow-repository") == "true"


def _unknown(root: Path, revision: str) -> str:
    said = f"there is no revision {revision!r} in {root}"
    if _is_shallow(root):
        return f"{said}, a shallow clone that has only a part of the history\n  try: {_WHOLE_HISTORY}"
    listed = _said(
        root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = listed.split()
    # A branch that only the remote has.
    remote = next((name for name in names if name.endswith(f"/{revision}")), None)
    meant = remote or nearest(revision, names)
    return f"{said}\n  try: {meant or '`git branch --all` and `git tag` list those there are'}"


def _answer(root: Path, *arguments: str) -> str:
    """Return what git says on one line; empty where it says no."""
    done = _run(root, *arguments)
    return done.stdout.strip() if done.returncode == 0 else ""


def _said(root: Path, *arguments: str) -> str:
    done = _run(root, *arguments)
    if done.returncode:
        raise CommandError(
            f"git {arguments[0]} fails in {root}: {one_line(done.stderr.strip(), _LONGEST_MESSAGE)}"
        )
    return done.stdout


def _run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    # Messages are looked into, nobody is there to type a password, and a status does not write the index.
    environment = os.environ | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    command = ("git", "-C", str(folder), *arguments)
    try:
        return subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except FileNotFoundError:
        raise CommandError(
            "git is not installed here, and revisions are read with it\n"
            "  try: install git, or name two folders"
        ) from None
