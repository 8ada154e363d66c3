"""The operator stand-in on a real control plane: what a person sees with kubectl. Its pods are simulated."""

from __future__ import annotations

import copy
import functools
import json
import operator
from typing import TYPE_CHECKING, Any

import pytest

from lab import processes
from lab.faults import api_server
from resource_graph import Resource, ResourceGraph
from rules.reading.objects.judged import read_mistakes
from rules.reading.releases import platform_resource
from tests.lab.dynamo_operator.built import read
from tests.lab.dynamo_operator.clusters import GRAPHS, until, until_answered
from tests.lab.fixtures.graphs import toy_graph, worker

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.dynamo_operator.clusters import Cluster

pytestmark = pytest.mark.lab

V1ALPHA1 = "dynamographdeployments.v1alpha1.nvidia.com"
V1BETA1 = "dynamographdeployments.v1beta1.nvidia.com"
WRONG: tuple[tuple[str, Any], ...] = (
    ("extraPodSpec.tollerations", []),
    ("replicsa", 1),
    ("replicas", "1"),
    ("replicas", -1),
    ("resources", {"limits": {"gpu": 4}}),
    ("extraPodSpec.mainContainer.resources", {"limits": {"cpu": 0.5}}),
    ("extraPodSpec.mainContainer.env", [{"name": "A", "value": 1}]),
    ("envs", [{"value": "1"}]),
    ("volumeMounts", "none"),
    ("multinode", {"nodeCount": 1.5}),
    ("annotations", {"a": True}),
    ("gpuMemoryService", {"enabled": True, "mode": "both"}),
)
"""Where it stands in a service, and what an API server does not take there."""
TOKEN = [{"name": "TOKEN", "value": "1"}]


def message(status: dict[str, Any]) -> str:
    text: str = status["conditions"][0]["message"]
    return text


def test_a_graph_becomes_ready_with_labelled_and_probed_workers(cluster: Cluster) -> None:
    cluster.apply(toy_graph(), "--validate=strict")
    cluster.await_condition("True")
    deployments = cluster.lab.get("deployments", "--namespace", GRAPHS)["items"]
    types = {
        each["spec"]["template"]["metadata"]["labels"]["nvidia.com/dynamo-component-type"]: each
        for each in deployments
    }
    assert sorted(types) == ["decode", "frontend", "prefill"]
    for role in ("prefill", "decode"):
        (container,) = types[role]["spec"]["template"]["spec"]["containers"]
        assert container["startupProbe"]["failureThreshold"] == 720
        assert {"name": "DYN_COMPONENT", "value": role} in container["env"]
    assert cluster.graph()["status"]["state"] == "successful"


def test_the_origin_version_is_filled_in(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    annotations = cluster.graph()["metadata"]["annotations"]
    assert annotations["nvidia.com/dynamo-operator-origin-version"] == "1.2.1"


def test_a_graph_that_breaks_a_rule_is_refused_by_the_webhook(cluster: Cluster) -> None:
    graph = toy_graph(Decode=worker("decode", "4", volumeMounts=[{"name": "cache"}]))
    answer = cluster.apply(graph, check=False)
    assert answer.returncode != 0
    assert (
        'admission webhook "vdynamographdeployment.kb.io" denied the request: spec.services[Decode]'
        ".volumeMounts[0].mountPoint is required when useAsCompilationCache is false"
    ) in answer.stderr


def test_a_webhook_that_lost_its_authority_is_given_it_again(cluster: Cluster) -> None:
    # Helm makes it after the operator's Deployment, and an update of the release writes it anew.
    named = ("validatingwebhookconfiguration", "dynamo-platform-dynamo-operator-validating")
    webhooks = cluster.lab.get(*named)["webhooks"]
    assert all(each["clientConfig"].pop("caBundle") for each in webhooks)
    cluster.lab.kubectl("patch", *named, "--type=merge", "-p", json.dumps({"webhooks": webhooks}))
    until(
        cluster.lab,
        "every webhook has its authority",
        lambda: all(each["clientConfig"].get("caBundle") for each in cluster.lab.get(*named)["webhooks"]),
    )
    cluster.apply(toy_graph())


def test_check_says_of_a_wrong_graph_what_the_server_says(cluster: Cluster, tmp_path: Path) -> None:
    for path, value in WRONG:
        graph = toy_graph()
        *steps, last = path.split(".")
        functools.reduce(operator.getitem, steps, graph["spec"]["services"]["Decode"])[last] = value
        resource = Resource(urn="graph", type="graph", name="graph", inputs=graph)
        (judged,) = read_mistakes(ResourceGraph([platform_resource("1.2.1"), resource]))
        file = tmp_path / "wrong.json"
        file.write_text(json.dumps(graph | {"metadata": {"name": "toy", "namespace": GRAPHS}}))
        answer = cluster.lab.kubectl("create", "--dry-run=server", "-f", str(file), check=False)
        assert answer.returncode != 0, path
        assert judged.mistake.says in answer.stderr


def test_applying_the_same_graph_again_writes_nothing(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.graph()["metadata"]
    cluster.apply(toy_graph())
    # A change elsewhere is seen by the same operator after this one, so it has had its turn by then.
    cluster.switch("graph-never-ready")
    cluster.await_condition("False")
    after = cluster.graph()["metadata"]
    assert (before["uid"], before["generation"]) == (after["uid"], after["generation"])


def test_a_worker_that_finds_no_room_is_named_and_is_no_failure(cluster: Cluster) -> None:
    cluster.apply(toy_graph(Decode=worker("decode", "16")))
    status = cluster.await_status(
        lambda each: "toy-prefill" not in message(each) and "toy-frontend" not in message(each)
    )
    assert message(status).startswith("Resources not ready: toy-decode-")
    assert message(status).endswith("Component deployment not ready - Available condition not true")
    assert status["state"] == "pending"


def test_component_type_main_fails_as_the_operator_fails_on_it(cluster: Cluster) -> None:
    cluster.apply(toy_graph(Decode=worker("decode", "4", componentType="main")))
    status = cluster.await_status(lambda each: each.get("state") == "failed")
    assert 'Unsupported value: "main"' in message(status)
    assert cluster.names("deployments") == []


def test_a_changed_worker_moves_all_workers_to_a_new_generation_and_the_frontend_stays(
    cluster: Cluster,
) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.names("deployments")
    cluster.apply(toy_graph(Decode=worker("decode", "4", envs=TOKEN)))
    cluster.await_status(lambda each: each.get("rollingUpdate", {}).get("phase") == "Completed")
    # The update is over when the old pods are gone; their Deployments and Services go a moment later.
    until(
        cluster.lab,
        "the old Deployments' end",
        lambda: set(before) & set(cluster.names("deployments")) == {"toy-frontend"},
    )
    after = cluster.names("deployments")
    assert len(after) == 3
    until(cluster.lab, "the old Services' end", lambda: cluster.names("services") == after)


def test_scaling_changes_replicas_and_no_generation(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.names("deployments")
    cluster.apply(toy_graph(Prefill=worker("prefill", "1", replicas=3)))
    cluster.await_status(lambda each: each["components"]["Prefill"].get("readyReplicas") == 3)
    assert cluster.names("deployments") == before


@pytest.mark.parametrize("propagation", ["background", "foreground"])
def test_a_deleted_graph_takes_everything_with_it(cluster: Cluster, propagation: str) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    cluster.lab.kubectl(
        "delete",
        "dynamographdeployment",
        "toy",
        "--namespace",
        GRAPHS,
        f"--cascade={propagation}",
        "--timeout=30s",
    )
    for kind in ("dynamocomponentdeployments", "deployments", "services", "pods", "roles"):
        until(cluster.lab, f"no {kind}", lambda kind=kind: cluster.names(kind) == [])
    # The planner's account and its binding have no owner.
    accounts = ["default", "planner-serviceaccount"]
    until(cluster.lab, "two accounts", lambda: cluster.names("serviceaccounts") == accounts)
    bindings = ["planner-serviceaccount-binding"]
    until(cluster.lab, "one binding", lambda: cluster.names("rolebindings") == bindings)


@pytest.mark.parametrize(
    ("switch", "gpus", "status"),
    [
        ("graph-never-ready", "4", "False"),
        ("graph-ready-too-early", "16", "True"),
        ("graph-write-conflict", "4", "False"),
    ],
)
def test_a_switch_turns_the_graphs_condition(cluster: Cluster, switch: str, gpus: str, status: str) -> None:
    cluster.switch(switch)
    cluster.apply(toy_graph(Decode=worker("decode", gpus)))
    cluster.await_condition(status)


def test_a_webhook_that_is_not_ready_refuses_changes_and_conversions_until_it_is(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    cluster.switch("webhook-not-ready")
    changed = toy_graph(Prefill=worker("prefill", "1", replicas=2))
    until_answered("a refusal", lambda: "connection refused" in cluster.apply(changed, check=False).stderr)
    read = cluster.lab.kubectl("get", V1BETA1, "toy", "--namespace", GRAPHS, check=False)
    assert read.returncode == 0 or "conversion webhook" in read.stderr
    (cluster.lab.directory.switches / "webhook-not-ready").unlink()
    until_answered("an apply", lambda: cluster.apply(changed, check=False).returncode == 0)
    cluster.await_condition("True")


def test_a_graph_of_either_version_is_read_in_both(cluster: Cluster) -> None:
    graph = read(toy_graph())
    graph["spec"]["components"].reverse()
    cluster.apply(graph, "--validate=strict")
    cluster.await_condition("True")
    beta, alpha = (cluster.lab.get(kind, "toy", "--namespace", GRAPHS) for kind in (V1BETA1, V1ALPHA1))
    assert [each["name"] for each in beta["spec"]["components"]] == ["Prefill", "Frontend", "Decode"]
    assert alpha["spec"]["services"]["Decode"]["subComponentType"] == "decode"
    assert set(beta["status"]["components"]) == set(alpha["status"]["services"])
    before = beta["metadata"]["generation"]
    cluster.apply(graph)
    assert cluster.graph()["metadata"]["generation"] == before


def test_component_deployments_stand_between_a_graph_and_its_deployments(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    parts = cluster.lab.get("dynamocomponentdeployments", "--namespace", GRAPHS)["items"]
    for part in parts:
        metadata = part["metadata"]
        assert part["apiVersion"] == "nvidia.com/v1beta1"
        assert metadata["finalizers"] == ["nvidia.com/finalizer"]
        (owner,) = metadata["ownerReferences"]
        assert (owner["kind"], owner["blockOwnerDeletion"]) == ("DynamoGraphDeployment", True)
        assert {each["type"]: each["status"] for each in part["status"]["conditions"]} == {
            "Available": "True",
            "DynamoComponentReady": "True",
        }
    assert [part["metadata"]["name"] for part in parts] == cluster.names("deployments")


def test_a_graph_that_is_at_rest_is_not_written(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    kinds = ("dynamographdeployments", "dynamocomponentdeployments", "deployments")

    def versions() -> list[str]:
        found = (cluster.lab.get(kind, "--namespace", GRAPHS)["items"] for kind in kinds)
        return [each["metadata"]["resourceVersion"] for items in found for each in items]

    seen: list[list[str]] = []

    def rests() -> bool:
        seen.append(versions())
        return len(seen) > 6 and all(each == seen[-1] for each in seen[-6:])

    until_answered("rest", rests)


def test_a_changed_graph_says_for_a_moment_that_its_last_generation_is_ready(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    cluster.apply(toy_graph(Decode=worker("decode", "4", envs=TOKEN)))
    graph = cluster.graph()
    assert (graph["metadata"]["generation"], graph["status"]["observedGeneration"]) == (2, 1)
    assert graph["status"]["conditions"][0]["status"] == "True"
    cluster.await_status(lambda each: each.get("rollingUpdate", {}).get("phase") == "Completed")


def test_the_operator_outlives_a_restart_of_the_api_server_in_every_phase(cluster: Cluster) -> None:
    before = processes.find(cluster.lab.directory, processes.OPERATOR)
    cluster.apply(toy_graph())
    api_server.restart(cluster.lab.directory, down_seconds=1)
    cluster.await_condition("True")
    api_server.restart(cluster.lab.directory, down_seconds=10)
    changed = copy.deepcopy(toy_graph(Decode=worker("decode", "4", envs=TOKEN)))
    until_answered("an apply", lambda: cluster.apply(changed, check=False).returncode == 0)
    api_server.restart(cluster.lab.directory, down_seconds=1)
    cluster.await_status(lambda each: each.get("rollingUpdate", {}).get("phase") == "Completed")
    cluster.lab.kubectl("delete", V1BETA1, "toy", "--namespace", GRAPHS, "--wait=false")
    api_server.restart(cluster.lab.directory, down_seconds=1)
    until(cluster.lab, "no pod left", lambda: cluster.names("pods") == [])
    assert processes.find(cluster.lab.directory, processes.OPERATOR) == before
