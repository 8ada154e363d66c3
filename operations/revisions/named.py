"""What a person names as the two sides of a comparison, and where its files are."""

from dataclasses import dataclass, replace
from pathlib import Path

from operations.errors import CommandError
from operations.project import stack_directory
from operations.revisions.cache import cache_directory, made_once
from operations.revisions.git import Repository, repository_of
from resource_graph.printable import one_line
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


@dataclass(frozen=True, slots=True)
class _Revisions:
    base: str
    head: str | None
    """None: the working tree."""
    from_merge_base: bool = False


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
        if typed is not None and Path(typed).is_file():
            raise CommandError(f"{typed} is a file\n  try: the folder that it is in, or a revision of git")
    start = stack_directory(Path.cwd())
    repository = repository_of(start)
    revisions = _revisions(base) if head is None else _Revisions(base, head)
    within = start.resolve().relative_to(repository.root.resolve())
    if revisions.from_merge_base and revisions.head is not None:
        label = f"merge base of {revisions.base} and {revisions.head}"
        commit = repository.merge_base(revisions.base, revisions.head)
        before = _of_commit(repository, label, commit, within)
    else:
        before = _of_revision(repository, revisions.base, within)
    if revisions.head is not None:
        return before, _of_revision(repository, revisions.head, within)
    # What differs in the working tree is what is compared.
    before = replace(before, notes=_submodules(repository, before.commit or ""))
    return before, SideFolder(label=_WORKING_TREE, commit=None, root=repository.root, folder=start)


def _revisions(text: str) -> _Revisions:
    separator = "..." if "..." in text else ".."
    base, found, head = text.partition(separator)
    if not found:
        return _Revisions(text, None)
    # As in git, HEAD is meant where nothing stands.
    return _Revisions(base or "HEAD", head or "HEAD", separator == "...")


def _of_folder(typed: str) -> SideFolder:
    folder = Path(typed).resolve()
    return SideFolder(label=typed, commit=None, root=folder, folder=folder)


def _of_revision(repository: Repository, revision: str, within: Path) -> SideFolder:
    if Path(revision).is_dir() and (Path(revision) / "Pulumi.yaml").is_file():
        raise CommandError(
            f"{revision} is a folder, and the other side is a revision of git\n"
            "  try: two folders, or two revisions"
        )
    commit = repository.commit(revision)
    return _of_commit(repository, revision, commit, within)


def _of_commit(repository: Repository, label: str, commit: str, within: Path) -> SideFolder:
    files = cache_directory() / "files" / commit
    made_once(files, lambda folder: repository.write_files(commit, folder))
    folder = files / within
    if not folder.is_dir():
        raise CommandError(f"{label} has no folder {within}, where the stack files are")
    notes = (*_uncommitted(repository, label, commit), *_submodules(repository, commit))
    return SideFolder(label=label, commit=commit, root=files, folder=folder, notes=notes)


def _uncommitted(repository: Repository, label: str, commit: str) -> tuple[str, ...]:
    """Say which files of the working tree differ, where its commit is the one that is compared."""
    if commit != repository.commit("HEAD"):
        return ()
    names = repository.changed_files()
    if not names:
        return ()
    return (f"{label} is compared as it is committed; the working tree differs in {_listed(names)}",)


def _submodules(repository: Repository, commit: str) -> tuple[str, ...]:
    names = repository.submodules(commit)
    return (f"files of submodules are not compared: {_listed(names)}",) if names else ()


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(one_line(name, 200) for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return shown if more <= 0 else f"{shown} and {more} more"
