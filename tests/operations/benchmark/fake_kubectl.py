"""A kubectl that answers from files, so that a test decides what the cluster says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from components import cluster_reader
from components.cluster_answer import Answer
from components.dynamo_objects import GRAPH_NAME
from operations.cluster_commands import ClusterCommands
from tests.support.clusters import SILENT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from components.cluster_answer import Kind
    from components.cluster_reader import ClusterReader

_KUBECTL = """#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift 2; done
echo "$@" >> FOLDER/calls
case "$1 $2" in
"create "*)
    cat > FOLDER/created.json
    if [ -e FOLDER/refused ]; then cat FOLDER/refused >&2; exit 1; fi ;;
"logs "*) case "$*" in
    *" --follow"*)
        if [ -e FOLDER/followed ]; then cat FOLDER/followed; else cat FOLDER/log; fi
        [ ! -e FOLDER/endless ] || exec sleep 300 ;;
    *) cat FOLDER/log ;;
    esac ;;
"port-forward "*) cat FOLDER/forwarding; [ ! -e FOLDER/endless ] || exec sleep 300 ;;
"delete "*) if [ -e FOLDER/kept ]; then cat FOLDER/kept >&2; exit 1; fi ;;
esac
"""


class FakeKubectl:
    """The program on PATH, and what it answers."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.selectors: list[str] = []
        self.is_away = False
        program = folder / "kubectl"
        program.write_text(_KUBECTL.replace("FOLDER", str(folder)), encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        monkeypatch.setattr(cluster_reader, "ask", self.ask)
        self.commands = ClusterCommands("lab", None, str(program), "helm")
        self.say("log", "")
        self.says_pods()
        self.says_graph()
        self.say("job.json", json.dumps({"kind": "Job", "status": {}}))

    def ask(self, _cluster: ClusterReader, kind: Kind, *_: Any, **selectors: Any) -> Answer:
        """Answer the client: pods of the graph, or of the Job, and no events."""
        if self.is_away:
            return SILENT
        job = self.folder / "job.json"
        if kind.plural == "jobs" and job.exists():
            return Answer.of([json.loads(job.read_text(encoding="utf-8"))])
        if kind.plural != "pods":
            return Answer.of([])
        self.selectors.append(selectors["labelSelector"])
        name = "graph" if GRAPH_NAME in selectors["labelSelector"] else "pods"
        return Answer.of(json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))["items"])

    def say(self, name: str, text: str) -> None:
        """Write one of the files that it answers from."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def says_pods(self, *pods: dict[str, Any]) -> None:
        """The pods of the Job."""
        self.say("pods.json", json.dumps({"items": list(pods)}))

    def says_graph(self, *pods: dict[str, Any]) -> None:
        """The pods of the graph."""
        self.say("graph.json", json.dumps({"items": list(pods)}))

    def calls(self, verb: str) -> list[str]:
        """The calls of one verb, without what leads to the cluster."""
        file = self.folder / "calls"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [line for line in lines if line.startswith(f"{verb} ")]
