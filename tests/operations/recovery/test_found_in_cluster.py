"""What recovery reads of a cluster whose operator is away, and what it decides on recorded interruptions.

Each recording holds the state and the listings of stack dev's cluster at one moment of a kill of the real
engine, and the commands that recovery then typed, after which the cluster was as if nothing had happened.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from operations.commands import ClusterCommands, PulumiCommand
from operations.recovery.found_in_cluster import (
    HelmRelease,
    Leftovers,
    existing_objects,
    operator_answers,
    read_release,
)
from operations.recovery.recovery_plan import plan_destroy, plan_up
from operations.recovery.stack_state import ClusterObject, in_cluster, is_empty, recorded
from operations.recovery.steps import command_line, what_holds
from resource_graph import Resource, ResourceGraph
from resource_graph.engine_state import Deployment, EngineRecord
from resource_graph.urns import RELEASE_TYPE
from tests.support.clusters import Told
from tests.support.dev_settings import dev_settings, resolved
from tests.support.recordings import recorded_stack

DEFINITION = {
    "metadata": {"name": "dynamographdeployments.nvidia.com"},
    "spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]},
}
LABEL = "nvidia.com/dynamo-graph-deployment-name"
_HELM = """#!/bin/sh
case "$*" in *history*) echo '[{"revision": 1, "status": "deployed"}]' ;; esac
"""


def _object(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "gpt-oss", "name": name, **metadata}}


@pytest.fixture
def told() -> dict[str, list[dict[str, Any]]]:
    """What there is in the cluster."""
    graph = _object("gpt-oss-disagg", managedFields=[{"manager": "pulumi-kubernetes"}])
    parts = [
        _object("gpt-oss-disagg-frontend", labels={LABEL: "gpt-oss-disagg"}),
        _object("deleted-frontend", labels={LABEL: "deleted"}),
    ]
    return {
        "customresourcedefinitions": [DEFINITION],
        "dynamographdeployments": [graph],
        "dynamocomponentdeployments": parts,
    }


@pytest.fixture
def cluster(tmp_path: Path, told: Any, monkeypatch: pytest.MonkeyPatch) -> ClusterCommands:
    """Its reader is told what there is; nobody converts a graph."""
    (tmp_path / "helm").write_text(_HELM)
    (tmp_path / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(ClusterCommands, "ask", Told(told, unconverted="v1beta1").ask)
    return ClusterCommands("somewhere")


@pytest.fixture
def graph() -> ResourceGraph:
    return recorded_stack(resolved(dev_settings()))


def test_a_graph_is_found_without_its_operator(cluster: ClusterCommands, graph: ResourceGraph) -> None:
    [found] = existing_objects(graph, cluster)
    assert str(found) == "DynamoGraphDeployment gpt-oss/gpt-oss-disagg"
    assert found.api_version == "nvidia.com/v1alpha1"
    assert found.may_be_ours


def test_parts_of_a_graph_that_is_gone_tell_of_the_operator_too() -> None:
    parts = {"dynamocomponentdeployments": [_object("deleted-frontend", labels={LABEL: "deleted"})]}
    assert not operator_answers(Told(parts, unconverted="v1beta1"))
    assert operator_answers(Told({}, unconverted="v1beta1"))


def test_what_a_graph_waits_for_at_its_end_is_named_with_the_finalizers_of_its_parts(
    cluster: ClusterCommands, graph: ResourceGraph, told: Any
) -> None:
    part = _object("gpt-oss-disagg-frontend", finalizers=["nvidia.com/finalizer"])
    gone = {"deletionTimestamp": "2026-11-22T12:00:00Z", "finalizers": ["foregroundDeletion"]}
    told["dynamocomponentdeployments"] = [part]
    told["dynamographdeployments"] = [_object("gpt-oss-disagg", **gone)]
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


RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.json"))
PULUMI = PulumiCommand("dev", Path(), "pulumi")
CLUSTER = ClusterCommands("dynamo-lab")


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_recovery_types_what_it_typed_when_the_cluster_became_whole(file: Path) -> None:
    moment = json.loads(file.read_text(encoding="utf-8"))
    leftovers = _leftovers(moment)
    plan = plan_destroy(leftovers) if moment["destroy"] else plan_up(leftovers, policy_pack=True)
    assert [command_line(step, PULUMI, CLUSTER) for step in plan.steps] == moment["typed"]
    assert list(plan.found) == moment["found"]


def _leftovers(moment: dict[str, Any]) -> Leftovers:
    release = moment["release"] | {"graphs": tuple(moment["release"].get("graphs", ()))}
    wanted = Resource(
        urn=release.pop("urn"),
        type=RELEASE_TYPE,
        name="dynamo-platform",
        inputs={"chart": release.pop("wanted_chart")},
        parent=release.pop("parent"),
        provider=release.pop("provider"),
    )
    return Leftovers(
        in_cluster(Deployment.model_validate(moment["deployment"])),
        HelmRelease(wanted, **release),
        tuple(
            ClusterObject(**each | {"managers": tuple(each.get("managers", ()))})
            for each in moment["objects"]
        ),
        graph_to_come=moment["graph_to_come"],
        operator_answers=moment["operator_answers"],
    )


URN = "urn:pulumi:dev::dynamo-stack::"


def _resource(name: str, **more: Any) -> EngineRecord:
    config_map = {"urn": f"{URN}{name}", "type": "kubernetes:core/v1:ConfigMap", "id": f"ns/{name}"}
    return EngineRecord.model_validate(config_map | more)


def test_a_stack_that_never_ran_holds_nothing() -> None:
    assert is_empty(Deployment())
    stack = EngineRecord(urn=URN, type="pulumi:pulumi:Stack")
    assert is_empty(in_cluster(Deployment(resources=(stack,))))


def test_what_waits_to_be_deleted_or_made_again_is_not_in_the_cluster_for_good() -> None:
    waiting = _resource("old", delete=True), _resource("gone", pendingReplacement=True)
    state = in_cluster(Deployment(resources=(_resource("new"), *waiting)))
    assert recorded(state) == {(f"{URN}new", "ns/new")}
    assert [each.urn for each in state.resources if each.is_going] == [f"{URN}old", f"{URN}gone"]
