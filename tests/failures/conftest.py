"""A cluster that answers what a test has put down: objects to the client, and logs to kubectl."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from components import cluster_reader
from components.cluster_answer import KINDS, Answer, Said

if TYPE_CHECKING:
    from pathlib import Path

    from components.cluster_answer import Kind
    from components.cluster_reader import ClusterReader

_SCRIPT = """#!/bin/sh
echo "$@" >> {folder}/asked
while [ "$1" != logs ]; do shift; done
cat {folder}/log
"""


@dataclass(frozen=True)
class AnsweringCluster:
    """Answers for the kinds that a test has put down; of any other it does not say."""

    folder: Path
    objects: dict[str, Any] = field(default_factory=dict[str, Any])
    questions: list[str] = field(default_factory=list[str])

    def answers(self, **kinds: Any) -> None:
        """Put down the answers by kind or plural: a list for a listing, a mapping for one object."""
        for name, answer in kinds.items():
            kind = KINDS.get(name)
            self.objects[kind.plural if kind else name.partition(".")[0]] = answer

    def logs(self, text: str) -> None:
        """Put down what `kubectl logs` prints."""
        (self.folder / "log").write_text(text)

    def asked(self) -> list[str]:
        """The questions about objects, and the command lines of kubectl."""
        file = self.folder / "asked"
        return [*self.questions, *(file.read_text().splitlines() if file.exists() else [])]

    def ask(
        self, cluster: ClusterReader, kind: Kind, name: str = "", namespace: str | None = None, **_: Any
    ) -> Answer:
        """Answer as the API server does."""
        self.questions.append(" ".join([cluster.kubeconfig or "", kind.plural, name, namespace or ""]))
        if kind.plural not in self.objects:
            return Answer(Said.UNREACHABLE, why="nobody says")
        found = self.objects[kind.plural]
        return Answer.of(found if isinstance(found, list) else [found])


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnsweringCluster:
    answering = AnsweringCluster(tmp_path)
    script = tmp_path / "kubectl"
    script.write_text(_SCRIPT.format(folder=tmp_path))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(cluster_reader, "ask", answering.ask)
    return answering
