"""Both sides of a comparison: what a person names, each recorded by its own code, which may differ."""

import datetime as dt
import filecmp
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from comparison.recording import SCHEMA_VERSION, Side, side_as_json, side_of_json
from operations.errors import CommandError
from operations.project import stack_directory
from operations.revisions.cache import cache_directory, forget_unused, made_once
from operations.revisions.environment import interpreter_for
from operations.revisions.git import (
    changed_files,
    commit_of,
    differing_files,
    merge_base,
    root_of,
    write_files,
)
from operations.revisions.record_process import record_by_own_code
from resource_graph.printable import one_line
from resource_graph.spelling import nearest
from stacks.settings.load import list_stacks

_WORKING_TREE = "working tree"
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFolder:
    """The files of one side."""

    label: str
    """What a person typed."""
    commit: str | None
    """None for a folder."""
    root: Path
    """Folder above which nothing belongs to this side."""
    folder: Path
    """Folder of the stack files."""
    notes: tuple[str, ...] = ()

    @property
    def stacks(self) -> tuple[str, ...]:
        """Names of the stacks that have a file here."""
        return tuple(list_stacks(self.folder))


def side_folders(base: str, head: str | None) -> tuple[SideFolder, SideFolder]:
    """Return where the files of both sides are; those of commits are written into the cache.

    Args:
        base: a folder, a revision, or with no `head`: `BASE..HEAD`, or `BASE...HEAD` for HEAD against the
            commit at which it left BASE.
        head: a folder or a revision; None: what `base` says, or else the working tree.

    Raises:
        CommandError: a revision or folder cannot be found or read.

    """
    if head is not None and Path(base).is_dir() and Path(head).is_dir():
        return _of_folder(base), _of_folder(head)
    for typed in (base, head):
        if not typed and typed is not None:
            raise CommandError("a side is an empty word\n  try: BASE..HEAD, or two folders")
        if typed is not None and Path(typed).is_file():
            raise CommandError(f"{typed} is a file\n  try: the folder that it is in, or a revision of git")
    start = stack_directory(Path.cwd())
    repository = root_of(start)
    within = start.resolve().relative_to(repository.resolve())
    from_merge_base = head is None and "..." in base
    separator = "..." if "..." in base else ".."
    if head is None and separator in base:
        # As in git, HEAD is meant where nothing stands.
        base, head = (each or "HEAD" for each in base.split(separator, 1))
    if head is None:
        # What differs in the working tree is what is compared.
        before = replace(_of_revision(repository, base, within), notes=())
        return before, SideFolder(label=_WORKING_TREE, commit=None, root=repository, folder=start)
    if from_merge_base:
        commit = merge_base(repository, base, head)
        before = _of_commit(repository, f"merge base of {base} and {head}", commit, within)
    else:
        before = _of_revision(repository, base, within)
    return before, _of_revision(repository, head, within)


_THIS_CODE = Path(__file__).resolve().parents[2]


def recorded_sides(base: str, head: str | None, stacks: Sequence[str] = ()) -> tuple[Side, Side]:
    """Return both sides; the stacks of the later one say what they do to those of the earlier one.

    Commits are recorded once a day: rules and waivers are judged as of today.

    Args:
        base: a revision of git or a folder; with no `head` also `BASE..HEAD` or `BASE...HEAD`.
        head: a revision or a folder; None: what `base` says, or else the working tree.
        stacks: names of stacks; none for all.

    Raises:
        CommandError: a side cannot be found, or not be recorded as a whole; the text is one for a person.

    """
    before, after = side_folders(base, head)
    _refuse_unknown(stacks, before, after)
    cache = cache_directory()
    forget_unused(cache)
    earlier = _recorded(before, stacks, None, cache)
    return earlier, _recorded(after, stacks, earlier, cache)


def _of_folder(typed: str) -> SideFolder:
    folder = Path(typed).resolve()
    return SideFolder(label=typed, commit=None, root=folder, folder=folder)


def _of_revision(repository: Path, revision: str, within: Path) -> SideFolder:
    if Path(revision).is_dir() and (Path(revision) / "Pulumi.yaml").is_file():
        raise CommandError(
            f"{revision} is a folder, and the other side is a revision of git\n"
            "  try: two folders, or two revisions"
        )
    return _of_commit(repository, revision, commit_of(repository, revision), within)


def _of_commit(repository: Path, label: str, commit: str, within: Path) -> SideFolder:
    files = cache_directory() / "files" / commit
    made_once(files, lambda folder: write_files(repository, commit, folder))
    folder = files / within
    if not folder.is_dir():
        raise CommandError(f"{label} has no folder {within}, where the stack files are")
    notes: tuple[str, ...] = ()
    if commit == commit_of(repository, "HEAD") and (names := changed_files(repository)):
        shown = ", ".join(one_line(name, 200) for name in names[:_SHOWN])
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        notes = (f"{label} is compared as it is committed; the working tree differs in {shown}{more}",)
    return SideFolder(label=label, commit=commit, root=files, folder=folder, notes=notes)


def _refuse_unknown(stacks: Sequence[str], before: SideFolder, after: SideFolder) -> None:
    for side in (before, after):
        if not side.stacks:
            raise CommandError(
                f"{side.label} has no stack file: no Pulumi.STACK.yaml in {side.folder}\n"
                "  try: the folder with the stack files, or another revision"
            )
    known = dict.fromkeys((*before.stacks, *after.stacks))
    for name in stacks:
        if name not in known:
            meant = nearest(name, known)
            raise CommandError(
                f"neither {before.label} nor {after.label} has a stack {name!r}\n"
                f"  allowed: {', '.join(known)}" + (f"\n  try: {meant}" if meant else "")
            )


def _recorded(side: SideFolder, stacks: Sequence[str], over: Side | None, cache: Path) -> Side:
    names = tuple(name for name in side.stacks if not stacks or name in stacks)
    if not names:
        return Side(side.label, side.commit, {}, side.notes)
    own = _own_code(side)
    interpreter = Path(sys.executable) if own is None else interpreter_for(own, side.label, cache)
    code = own or _THIS_CODE
    running = None if over is None else side_as_json(over)

    def recorded() -> Side:
        return record_by_own_code(side.label, interpreter, code, side.folder, names, over=running)

    # Files of a folder change, and so does this code.
    if side.commit is None or code == _THIS_CODE:
        return replace(recorded(), label=side.label, commit=side.commit, notes=side.notes)
    identity = json.dumps(
        [
            SCHEMA_VERSION,
            side.commit,
            str(side.folder.relative_to(side.root)),
            names,
            running,
            str(interpreter),
            sys.version,
            dt.datetime.now(dt.UTC).date().isoformat(),
        ]
    )
    name = hashlib.sha256(identity.encode()).hexdigest()
    entry = made_once(
        cache / "recordings" / f"{name}.json",
        lambda file: file.write_text(side_as_json(recorded()), encoding="utf-8"),
    )
    kept = side_of_json(entry.read_bytes())
    return replace(kept, label=side.label, commit=side.commit, notes=side.notes)


def _own_code(side: SideFolder) -> Path | None:
    """Return the folder of the side's own code; None where it has stack files alone.

    Raises:
        CommandError: the code is older than recordings.

    """
    for folder in (side.folder, *side.folder.parents):
        if (folder / "cli" / "main.py").is_file() and (folder / "stacks").is_dir():
            if not (folder / "cli" / "record.py").is_file():
                raise CommandError(
                    f"{side.label} is older than `dynamo-stack record`, so its own code cannot say what it "
                    "makes\n  try: a later revision"
                )
            return folder.resolve()
        if folder == side.root:
            break
    return None


_WITHOUT_CODE = re.compile(
    r"(?:.*/)?Pulumi\.[^/]+\.yaml|recipes/(?:catalogue|models)/.+\.yaml|(?:docs|tests)/.+|[^/]+\.md"
)
"""Files that no side's program executes; of tests none runs in a comparison."""
_NOT_OF_THE_PROGRAM = frozenset({".git", ".venv", "__pycache__", "build", "node_modules"})


def changed_code(base: Side, head: Side) -> tuple[str, ...]:
    """Return the files of code or requirements that differ, by their paths from the root.

    They decide what the newer side's recording says, so a reader has to judge them first.

    Raises:
        CommandError: git cannot compare the commits.

    """
    if base.commit is not None:
        files = differing_files(root_of(Path.cwd()), base.commit, head.commit)
    elif not (Path(head.label) / "cli").is_dir():
        # Stack files alone, which this process's own code reads.
        return ()
    else:
        files = tuple(sorted(_differing(Path(base.label), Path(head.label))))
    # A name that is no UTF-8 is not printed as it is.
    names = (each.encode(errors="surrogateescape").decode(errors="replace") for each in files)
    return tuple(each for each in names if _WITHOUT_CODE.fullmatch(each) is None)


def _differing(base: Path, head: Path) -> Iterator[str]:
    names = {file.relative_to(folder) for folder in (base, head) for file in _files(folder)}
    for name in names:
        older, newer = base / name, head / name
        if not (older.is_file() and newer.is_file() and filecmp.cmp(older, newer, shallow=False)):
            yield name.as_posix()


def _files(folder: Path) -> Iterator[Path]:
    # A link into another folder is no code of this one, and could lead in a circle.
    for directory, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in _NOT_OF_THE_PROGRAM]
        yield from (Path(directory) / each for each in files)
