"""Small git repositories of a test."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


@dataclass(frozen=True)
class TestRepository:
    """A repository with a branch `main`."""

    __test__ = False

    root: Path

    @classmethod
    def at(cls, root: Path) -> TestRepository:
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "--quiet", "--initial-branch=main")
        return made

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.root,
            env=os.environ | _IDENTITY,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.strip()

    def write(self, **files: str) -> None:
        """Write files; `__` in a name stands for a folder, and the ending is .yaml."""
        for name, text in files.items():
            file = self.root / f"{name.replace('__', '/')}.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def commit(self, **files: str) -> str:
        """Commit these files with all others that changed, and return the commit."""
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")
        return self.git("rev-parse", "HEAD")
