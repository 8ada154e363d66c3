"""What recovery reads of a cluster whose operator is away: a kubectl that answers as the API server does."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from operations.cluster_commands import ClusterCommands
from operations.recovery.found_in_cluster import existing_objects, operator_answers, read_release
from operations.recovery.steps import what_holds
from tests.support.clusters import Told
from tests.support.dev_settings import dev_settings, resolved
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from pathlib import Path

    from resource_graph import ResourceGraph

CONVERSION = (
    "Error from server: conversion webhook for nvidia.com/v1alpha1, Kind=DynamoGraphDeployment failed: Post "
    '"https://webhook.dynamo-system.svc:443/convert?timeout=30s": no endpoints available for service'
)
STORED = {"spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]}}
LABEL = "nvidia.com/dynamo-graph-deployment-name"
# By kind and version, as kubectl's words name it; nothing is there that is not named.
_KUBECTL = """#!/bin/sh
while [ "$1" != get ]; do shift; done
case "$2" in
customresourcedefinitions) cat {folder}/definition.json ;;
DynamoGraphDeployment.v1alpha1.nvidia.com) cat {folder}/graph.json ;;
dynamographdeployments.v1alpha1.nvidia.com) cat {folder}/graphs.json ;;
dynamocomponentdeployments.v1alpha1.nvidia.com) cat {folder}/parts.json ;;
dynamo*|Dynamo*) echo '{conversion}' >&2; exit 1 ;;
esac
"""
_HELM = """#!/bin/sh
case "$*" in *history*) echo '[{"revision": 1, "status": "deployed"}]' ;; esac
"""


@pytest.fixture(autouse=True)
def _on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def _object(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "gpt-oss", "name": name, **metadata}}


@pytest.fixture
def cluster(tmp_path: Path) -> ClusterCommands:
    answers = {
        "definition": STORED,
        "graph": _object("gpt-oss-disagg", managedFields=[{"manager": "pulumi-kubernetes"}]),
        "graphs": {"items": [_object("gpt-oss-disagg")]},
        "parts": {
            "items": [
                _object("gpt-oss-disagg-frontend", labels={LABEL: "gpt-oss-disagg"}),
                _object("deleted-frontend", labels={LABEL: "deleted"}),
            ]
        },
    }
    for name, answer in answers.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(answer))
    for name, text in (
        ("kubectl", _KUBECTL.format(folder=tmp_path, conversion=CONVERSION)),
        ("helm", _HELM),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return ClusterCommands("somewhere", None, str(tmp_path / "kubectl"), str(tmp_path / "helm"))


@pytest.fixture(params=["v1alpha1", "v1beta1"])
def graph(request: pytest.FixtureRequest) -> ResourceGraph:
    settings = dev_settings()
    settings["platform"]["graphApi"] = request.param
    return recorded_stack(resolved(settings))


def test_a_graph_of_either_version_is_found_without_its_operator(
    cluster: ClusterCommands, graph: ResourceGraph
) -> None:
    [found] = existing_objects(graph, cluster)
    assert str(found) == "DynamoGraphDeployment gpt-oss/gpt-oss-disagg"
    assert found.api_version == "nvidia.com/v1alpha1"
    assert found.is_pulumis


def test_an_operator_that_converts_nothing_is_away() -> None:
    graphs = {"dynamographdeployments": [_object("gpt-oss-disagg")]}
    assert not operator_answers(Told(graphs, unconverted="v1beta1"))
    assert operator_answers(Told(graphs))


def test_parts_of_a_graph_that_is_gone_tell_of_the_operator_too() -> None:
    parts = {"dynamocomponentdeployments": [_object("deleted-frontend", labels={LABEL: "deleted"})]}
    assert not operator_answers(Told(parts, unconverted="v1beta1"))
    assert operator_answers(Told({}, unconverted="v1beta1"))


def test_what_a_graph_waits_for_at_its_end_is_named_with_the_finalizers_of_its_parts(
    cluster: ClusterCommands, graph: ResourceGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = _object("gpt-oss-disagg-frontend", finalizers=["nvidia.com/finalizer"])
    part["kind"] = "DynamoComponentDeployment"
    (tmp_path / "parts.json").write_text(json.dumps({"items": [part]}))
    gone = {"deletionTimestamp": "2026-11-22T12:00:00Z", "finalizers": ["foregroundDeletion"]}
    (tmp_path / "graphs.json").write_text(json.dumps(_object("gpt-oss-disagg", **gone)))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    [item] = existing_objects(graph, cluster)
    said = what_holds(item, cluster)
    assert "finalizer foregroundDeletion, removed by Kubernetes" in said
    assert (
        "DynamoComponentDeployment gpt-oss-disagg-frontend: finalizer nvidia.com/finalizer, removed by the "
        "Dynamo operator"
    ) in said
    assert "docs/runbook/deletion-hangs.md" in said


def test_a_graph_that_is_gone_still_needs_the_operator_while_it_has_parts(
    cluster: ClusterCommands, graph: ResourceGraph
) -> None:
    release = read_release(resolved(dev_settings()), graph, cluster)
    assert release
    assert release.graphs == ("gpt-oss/gpt-oss-disagg", "gpt-oss/deleted")
