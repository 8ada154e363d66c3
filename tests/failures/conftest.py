"""A kubectl that answers from files: what a cluster would say, without one."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = """#!/bin/sh
echo "$@" >> {folder}/asked
while [ "$1" != get ] && [ "$1" != logs ]; do shift; done
if [ "$1" = logs ]; then cat {folder}/log; else cat {folder}/$2.json; fi
"""


@dataclass(frozen=True)
class AnsweringKubectl:
    """Answers `kubectl get KIND …` with what a test has put down for the kind; fails for any other."""

    folder: Path

    def answers(self, **kinds: Any) -> None:
        """Put down the answers: a list for a listing, a mapping for one object."""
        for kind, answer in kinds.items():
            content = {"items": answer} if isinstance(answer, list) else answer
            (self.folder / f"{kind}.json").write_text(json.dumps(content))

    def logs(self, text: str) -> None:
        """Put down what `kubectl logs` prints."""
        (self.folder / "log").write_text(text)

    def asked(self) -> list[str]:
        """The command lines, in order."""
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnsweringKubectl:
    script = tmp_path / "kubectl"
    script.write_text(_SCRIPT.format(folder=tmp_path))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return AnsweringKubectl(tmp_path)
