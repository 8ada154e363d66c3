"""What a comparison asks git."""

import os
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from operations.errors import CommandError
from resource_graph.printable import one_line
from resource_graph.spelling import nearest

_LONGEST_MESSAGE = 300
_WHOLE_HISTORY = "`git fetch --unshallow`; in GitHub Actions, actions/checkout with `fetch-depth: 0`"


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with its working tree."""

    root: Path

    def commit(self, revision: str) -> str:
        """Return the commit that a branch, tag or commit names, as 40 hexadecimal digits.

        Raises:
            CommandError: there is none, or the history that is here does not reach it.

        """
        found = None
        if not revision.startswith("-"):
            found = self._answer("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if found is None:
            raise CommandError(self._unknown(revision))
        return found.strip()

    def merge_base(self, one: str, other: str) -> str:
        """Return the commit at which two revisions parted.

        Raises:
            CommandError: a revision is unknown, or they have no commit in common here.

        """
        found = self._answer("merge-base", self.commit(one), self.commit(other))
        if found is None:
            why = f"{one} and {other} have no commit in common"
            if self.is_shallow():
                raise CommandError(f"{why} in this shallow clone\n  try: {_WHOLE_HISTORY}")
            raise CommandError(f"{why}\n  try: {one}..{other}, which compares the two as they are")
        return found.strip()

    def is_shallow(self) -> bool:
        """Whether only a part of the history is here."""
        return (self._answer("rev-parse", "--is-shallow-repository") or "").strip() == "true"

    def changed_files(self) -> tuple[str, ...]:
        """Return the files of the working tree that no commit has as they are, from the root.

        A rename counts under both of its names.
        """
        entries = self._said("status", "--porcelain=v1", "--no-renames", "-z").split("\0")
        return tuple(entry[3:] for entry in entries if entry)

    def differing_files(self, base: str, head: str | None) -> tuple[str, ...]:
        """Return the files that differ between two commits, from the root; None: the working tree.

        A rename counts under both of its names.
        """
        commits = (base,) if head is None else (base, head)
        listed = self._said("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", *commits, "--")
        return tuple(filter(None, listed.split("\0")))

    def write_files(self, commit: str, folder: Path) -> None:
        """Write all files of a commit into a folder that does not exist yet.

        The repository is left as it is: no worktree is registered, no index touched.

        Raises:
            CommandError: git cannot read the commit, or it has a link out of its own files.

        """
        folder.mkdir()
        with tempfile.NamedTemporaryFile() as file:
            self._said("archive", "--format=tar", f"--output={file.name}", commit)
            try:
                with tarfile.open(file.name) as archive:
                    archive.extractall(folder, filter="data")
            except tarfile.FilterError as error:
                raise CommandError(f"commit {commit}: {_shortened(str(error))}; it is not read") from None

    def _unknown(self, revision: str) -> str:
        said = f"there is no revision {revision!r} in {self.root}"
        if self.is_shallow():
            return f"{said}, a shallow clone that has only a part of the history\n  try: {_WHOLE_HISTORY}"
        listed = self._said(
            "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"
        )
        names = listed.split()
        # A branch that only the remote has.
        remote = next((name for name in names if name.endswith(f"/{revision}")), None)
        meant = remote or nearest(revision, names)
        return f"{said}\n  try: {meant or '`git branch --all` and `git tag` list those there are'}"

    def _answer(self, *arguments: str) -> str | None:
        """Return what git says; None where it says no."""
        done = _run(self.root, *arguments)
        return done.stdout if done.returncode == 0 else None

    def _said(self, *arguments: str) -> str:
        done = _run(self.root, *arguments)
        if done.returncode:
            raise CommandError(f"git {arguments[0]} fails in {self.root}: {_shortened(done.stderr)}")
        return done.stdout


def repository_of(folder: Path) -> Repository:
    """Return the repository that a folder belongs to.

    Raises:
        CommandError: there is none, or no git.

    """
    done = _run(folder, "rev-parse", "--show-toplevel")
    if done.returncode == 0 and done.stdout.strip():
        return Repository(Path(done.stdout.strip()))
    if "dubious ownership" in done.stderr:
        raise CommandError(
            f"git does not read {folder}: it belongs to another user\n"
            f"  try: git config --global --add safe.directory {folder}"
        )
    raise CommandError(
        f"{folder} is in no working tree of git, so there are no revisions to compare\n"
        "  try: run this in a clone of the repository, or name two folders"
    )


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


def _shortened(text: str) -> str:
    return one_line(text.strip(), _LONGEST_MESSAGE)
