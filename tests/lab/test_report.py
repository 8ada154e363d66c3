"""What `make lab-up` says of graphs at its end: a kubectl that answers without an operator to convert."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from lab.directory import LabDirectory
from lab.report import graphs_table

_KUBECTL = """#!/bin/sh
case "$2" in
dynamographdeployments.v1alpha1.nvidia.com) cat {folder}/graphs.json ;;
*) echo 'Error from server: conversion webhook failed' >&2; exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("observed", "said"),
    [(2, "scheduled (simulated)"), (1, "its operator has not seen its latest change")],
)
def test_a_graph_is_reported_without_its_operator_and_ready_only_as_it_is_now(
    tmp_path: Path, observed: int, said: str
) -> None:
    graph = {
        "metadata": {"namespace": "gpt-oss", "name": "graph", "generation": 2},
        "status": {
            "state": "successful",
            "observedGeneration": observed,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    (tmp_path / "graphs.json").write_text(json.dumps({"items": [graph]}))
    lab = LabDirectory(tmp_path)
    lab.bin.mkdir()
    kubectl = lab.bin / "kubectl"
    kubectl.write_text(_KUBECTL.format(folder=tmp_path))
    kubectl.chmod(0o755)
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(graphs_table(lab))
    text = console.export_text()
    assert said in text
    assert ("not ready" in text) == (observed < 2)
