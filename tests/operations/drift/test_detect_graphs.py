"""What `drift` says of graphs: a kubectl that answers as the API server does with and without an operator."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from operations.cluster_commands import ClusterCommands
from operations.drift.detect import not_compared, unreadable_graphs, unready_graphs
from operations.recovery.stack_state import StackState

if TYPE_CHECKING:
    from pathlib import Path

URN = "urn:pulumi:dev::dynamo-stack::stack$kubernetes:nvidia.com/{version}:DynamoGraphDeployment::graph"
STORED = {"spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]}}
_KUBECTL = """#!/bin/sh
while [ "$1" != get ]; do shift; done
case "$2" in
customresourcedefinitions) cat {folder}/definition.json ;;
dynamographdeployments.v1alpha1.nvidia.com) case "$3" in
  --all-namespaces) cat {folder}/graphs.json ;;
  *) cat {folder}/graph.json ;;
  esac ;;
*) {otherwise} ;;
esac
"""
_AWAY = "echo 'Error from server: conversion webhook for nvidia.com/v1alpha1 failed' >&2; exit 1"


@pytest.fixture(autouse=True)
def _on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def _state(version: str) -> StackState:
    return StackState(frozenset({(URN.format(version=version), "gpt-oss/graph")}), (), ())


def _cluster(folder: Path, *, away: bool, **graph: Any) -> ClusterCommands:
    (folder / "definition.json").write_text(json.dumps(STORED))
    (folder / "graph.json").write_text(json.dumps(graph))
    listed = {"items": [{"metadata": {"namespace": "gpt-oss", "name": "graph"}}]}
    (folder / "graphs.json").write_text(json.dumps(listed))
    kubectl = folder / "kubectl"
    kubectl.write_text(_KUBECTL.format(folder=folder, otherwise=_AWAY if away else "echo graph"))
    kubectl.chmod(0o755)
    return ClusterCommands("somewhere", None, str(kubectl), "helm")


@pytest.mark.parametrize(
    ("version", "away", "unreadable"),
    [("v1alpha1", True, False), ("v1beta1", True, True), ("v1beta1", False, False)],
)
def test_a_graph_is_left_out_only_where_nobody_converts_it(
    tmp_path: Path, version: str, away: bool, unreadable: bool
) -> None:
    found = unreadable_graphs(_state(version), _cluster(tmp_path, away=away))
    assert found == ((URN.format(version=version),) if unreadable else ())
    for urn in found:
        assert "graph graph was not compared" in not_compared(urn)


@pytest.mark.parametrize(
    ("generation", "status", "said"),
    [
        (1, {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}, None),
        (2, {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}, "latest change"),
        (
            1,
            {
                "observedGeneration": 1,
                "conditions": [{"type": "Ready", "status": "False", "reason": "some_are_not_ready"}],
            },
            "some_are_not_ready",
        ),
        (1, {}, "has not looked"),
    ],
)
def test_a_graph_that_is_not_ready_as_it_is_now_is_said_in_its_operators_words(
    tmp_path: Path, generation: int, status: dict[str, Any], said: str | None
) -> None:
    cluster = _cluster(tmp_path, away=True, metadata={"generation": generation}, status=status)
    found = unready_graphs(_state("v1beta1"), cluster)
    assert len(found) == (1 if said else 0)
    for line in found:
        assert line.startswith("graph gpt-oss/graph: ")
        assert said
        assert said in line
