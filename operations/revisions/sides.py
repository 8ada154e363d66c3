"""Both sides of a comparison, each recorded by its own code in its own environment."""

import datetime as dt
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from comparison.recording import SCHEMA_VERSION, RecordingFormatError, Side, side_as_json, side_of_json
from operations.errors import CommandError
from operations.revisions.cache import cache_directory, forget_unused, made_once
from operations.revisions.environment import interpreter_for
from operations.revisions.named import SideFolder, side_folders
from operations.revisions.record_process import RecordProcess
from stacks.nearest import nearest

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
            meant = nearest(name, known) or ", ".join(known)
            raise CommandError(
                f"neither {before.label} nor {after.label} has a stack {name!r}\n  try: {meant}"
            )


def _recorded(side: SideFolder, stacks: Sequence[str], over: Side | None, cache: Path) -> Side:
    names = tuple(name for name in side.stacks if not stacks or name in stacks)
    if not names:
        return Side(side.label, side.commit, {}, side.notes)
    process = _process(side, cache)
    running = None if over is None else side_as_json(over, for_older_code=True)
    if side.commit is None or process.code == _THIS_CODE:
        # Files of a folder change, and so does this code.
        return _named(side, _answer(process, names, running))
    identity = json.dumps(
        [
            SCHEMA_VERSION,
            side.commit,
            str(side.folder.relative_to(side.root)),
            names,
            running,
            str(process.interpreter),
            sys.version,
            dt.datetime.now(dt.UTC).date().isoformat(),
        ]
    )
    name = hashlib.sha256(identity.encode()).hexdigest()
    entry = made_once(
        cache / "recordings" / f"{name}.json",
        lambda file: _write(file, _answer(process, names, running)),
    )
    return _named(side, side_of_json(entry.read_bytes()))


def _process(side: SideFolder, cache: Path) -> RecordProcess:
    code = _own_code(side)
    if code is None:
        return RecordProcess(side.label, Path(sys.executable), _THIS_CODE, side.folder)
    if not (code / "cli" / "record.py").is_file():
        raise CommandError(
            f"{side.label} is older than `dynamo-stack record`, so its own code cannot say what it makes\n"
            "  try: a later revision"
        )
    return RecordProcess(side.label, interpreter_for(code, side.label, cache), code, side.folder)


def _own_code(side: SideFolder) -> Path | None:
    """Return the folder of the side's own code; None where it has stack files alone."""
    for folder in (side.folder, *side.folder.parents):
        if (folder / "cli" / "main.py").is_file() and (folder / "stacks").is_dir():
            return folder.resolve()
        if folder == side.root:
            break
    return None


def _answer(process: RecordProcess, names: Sequence[str], running: str | None) -> Side:
    with tempfile.TemporaryDirectory(prefix="dynamo-stack-over-") as folder:
        over = None
        if running is not None:
            over = Path(folder) / "over.json"
            over.write_text(running, encoding="utf-8")
        text = process.answer(names, over)
    try:
        return side_of_json(text)
    except RecordingFormatError as error:
        raise CommandError(
            f"{process.label}: what its own code has recorded cannot be read: {error}"
        ) from None


def _write(file: Path, side: Side) -> None:
    file.write_text(side_as_json(side), encoding="utf-8")


def _named(side: SideFolder, recorded: Side) -> Side:
    return replace(recorded, label=side.label, commit=side.commit, notes=side.notes)
