"""A state that cannot be read, and the backup that a backend of files keeps of it.

The engine renames the file to `<stack>.json.bak` before each write, and keeps a copy from before each run
(pulumi/pulumi pkg/backend/diy/state.go, saveCheckpoint and backupStack).
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from operations.errors import CommandError
from operations.pulumi_command import PulumiCommand

_PAGE = "docs/runbook/state-lost.md"
_BOOKS = ".pulumi"


class LostStateError(CommandError):
    """The stack is in the backend, and what the backend has of it is no state."""


@dataclass(frozen=True)
class Backup:
    """The newest state that can be read."""

    file: Path
    state: Path
    """Where it belongs."""
    resources: int

    @property
    def command(self) -> str:
        """The command that puts it back."""
        return f"cp {self.file} {self.state}"


def newest_backup(pulumi: PulumiCommand) -> Backup | None:
    """Return the backup to put back; None where there is none, or the backend keeps no files here."""
    root = _folder(pulumi)
    if root is None:
        return None
    project = yaml.safe_load((pulumi.directory / "Pulumi.yaml").read_text(encoding="utf-8"))["name"]
    state = root / _BOOKS / "stacks" / project / f"{pulumi.stack}.json"
    # The names of copies end in the time at which they were made.
    copies = sorted((root / _BOOKS / "backups" / project / pulumi.stack).glob("*.json"), reverse=True)
    for file in (state.with_name(f"{state.name}.bak"), *copies):
        latest = _latest(file)
        if latest:
            return Backup(file, state, len(latest.get("resources") or []))
    return None


def put_back(pulumi: PulumiCommand, may_put_back: Callable[[Backup], bool]) -> None:
    """Put the newest backup in the place of a state that cannot be read, which is kept beside it.

    Raises:
        CommandError: there is no backup, or the person who was asked does not want it.
    """
    backup = newest_backup(pulumi)
    if backup is None:
        raise CommandError(
            f"the state of stack {pulumi.stack} cannot be read, and no backup of it was found; nothing was "
            f"changed\n  try: {_PAGE} says where each backend keeps older versions"
        )
    if not may_put_back(backup):
        raise CommandError("nothing was changed")
    if backup.state.exists() and backup.state.stat().st_size:
        shutil.copyfile(backup.state, backup.state.with_name(f"{backup.state.name}.unreadable"))
    shutil.copyfile(backup.file, backup.state)


def _folder(pulumi: PulumiCommand) -> Path | None:
    answer = pulumi.capture("whoami", "--json", names_stack=False)
    try:
        address = urlsplit(json.loads(answer.out)["url"])
    except (ValueError, KeyError):
        return None
    return Path(unquote(address.netloc + address.path)).expanduser() if address.scheme == "file" else None


def _latest(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))["checkpoint"]["latest"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, dict) else None
