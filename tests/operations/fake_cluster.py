"""A cluster of the tests' own: objects that a test puts down, and a kubectl that answers from files."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psutil
import pytest
import yaml

from components.cluster_answer import Answer, Kind
from components.cluster_reader import ClusterReader
from operations.commands import ClusterCommands
from tests.support.clusters import REFUSED

CONTEXT = "dynamo-lab"
_KUBECONFIG = {
    "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT}}],
    "clusters": [{"name": CONTEXT, "cluster": {"server": "https://127.0.0.1:1"}}],
}
_RUN_LABEL = "dynamo-stack/benchmark-run"
_KUBECTL = """#!/bin/sh
cd FOLDER
echo "$*" >> typed
while [ "${1#--}" != "$1" ]; do shift 2; done
[ "$1" != create ] || cat > created.json
[ "$1" != port-forward ] || echo $$ >> forwards
[ ! -e "$1.refused" ] || { cat "$1.refused" >&2; exit 1; }
case "$*" in
"logs "*--follow*) if [ -e followed ]; then cat followed; else cat logs; fi; [ -e endless ] || exit 0 ;;
"port-forward "*) cat forwarding ;;
"logs "*) cat logs; exit ;;
*) exit ;;
esac
exec sleep 60
"""


@dataclass(frozen=True)
class FakeCluster:
    """The folder that this kubectl reads and writes, and the objects that there are."""

    folder: Path
    objects: dict[str, Answer | list[Any]] = field(default_factory=dict[str, "Answer | list[Any]"])
    """By the plural of their kind; of another kind the cluster does not say. `others`: a benchmark's pods."""
    questions: list[str] = field(default_factory=list[str])
    """What the client has asked: kubeconfig, kind, name, namespace, labels."""

    def __post_init__(self) -> None:
        kubectl = self.folder / "bin" / "kubectl"
        kubectl.parent.mkdir()
        script = _KUBECTL.replace("FOLDER", f"'{self.folder}'")
        kubectl.write_text(script, encoding="utf-8")
        kubectl.chmod(0o755)
        self.say("kubeconfig", yaml.safe_dump(_KUBECONFIG))
        self.say("logs", "")

    @property
    def variables(self) -> dict[str, str]:
        """What a command needs in its environment to find it."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "KUBECONFIG": str(self.folder / "kubeconfig")}

    @property
    def commands(self) -> ClusterCommands:
        """Its clients."""
        return ClusterCommands(CONTEXT)

    def answer_in(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Be the cluster of this process, until the test ends."""
        for name, value in self.variables.items():
            monkeypatch.setenv(name, value)

        def ask(reader: ClusterReader, *asked: Any, **more: Any) -> Answer:
            return self.ask(reader, *asked, **more)

        monkeypatch.setattr(ClusterReader, "ask", ask)
        return self

    def ask(
        self,
        cluster: ClusterReader,
        kind: Kind,
        name: str = "",
        namespace: str | None = None,
        **more: Any,
    ) -> Answer:
        """Answer the client as the API server does."""
        labels: str = more.get("labelSelector", "")
        self.questions.append(
            " ".join([cluster.kubeconfig or "", kind.plural, name, namespace or "", labels])
        )
        is_of_job = _RUN_LABEL in labels
        found = self.objects.get("others" if is_of_job else kind.plural, REFUSED)
        return found if isinstance(found, Answer) else Answer.of(found)

    def say(self, name: str, text: str) -> None:
        """Write a file: `logs`, `followed` in its place where --follow was typed, `forwarding`, VERB.refused.

        With `endless` a log that is followed stays open.
        """
        (self.folder / name).write_text(text, encoding="utf-8")

    def asked(self) -> list[str]:
        """The questions about objects, and the command lines of kubectl."""
        return [*self.questions, *self._lines("typed")]

    def typed(self, word: str) -> list[str]:
        """The command lines that hold the word."""
        return [line for line in self._lines("typed") if word in line.split()]

    def live_forwards(self) -> list[int]:
        """The port-forwards that still run."""
        return [each for each in map(int, self._lines("forwards")) if psutil.pid_exists(each)]

    def _lines(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
