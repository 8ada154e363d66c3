"""A run of preview.yml that has ended, and the run of comment.yml that it causes."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.workflows.fake_github import REPOSITORY, TOKEN, FakeGitHub
from tests.workflows.workflow_files import Ended, run_step

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PULL = 7
HEAD = "1f" * 20
FORK = 4711
RUN_URL = f"https://github.com/{REPOSITORY}/actions/runs/500"


@dataclass
class PreviewRun:
    """One attempt of one run, for pull request 7."""

    github: FakeGitHub
    folder: Path
    run: int = 500
    attempt: int = 1

    def opens(self, *files: str) -> None:
        """Somebody opens the pull request with these files changed."""
        self.github.pulls[PULL] = {
            "number": PULL,
            "state": "open",
            "changed_files": len(files),
            "head": {"sha": HEAD, "ref": "faster", "repo": {"id": FORK}},
        }
        self.github.files[PULL] = [{"filename": name} for name in files]

    def uploads(self, text: str, **details: Any) -> None:
        """The preview uploads what it has to say."""
        content = {"number": PULL} | details
        self.github.upload("comment", zipped({"comment.md": text, "pull-request.json": json.dumps(content)}))

    def comments(self) -> Ended:
        """The comment's workflow runs."""
        event = {
            "workflow_run": {
                "id": self.run,
                "run_attempt": self.attempt,
                "head_sha": HEAD,
                "head_branch": "faster",
                "head_repository": {"id": FORK},
                "html_url": RUN_URL,
            }
        }
        file = self.folder / "event.json"
        file.write_text(json.dumps(event))
        environment = {
            "GITHUB_API_URL": self.github.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_EVENT_PATH": str(file),
        }
        contexts = {"github.token": TOKEN}
        return run_step("comment.yml", "Write the comment", self.folder, environment, contexts)

    @property
    def bodies(self) -> list[str]:
        """The text of every comment of the pull request."""
        return [each["body"] for each in self.github.comments.get(PULL, [])]


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An artifact as GitHub gives it out."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()
