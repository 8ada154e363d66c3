"""The operator stand-in on a real control plane: what a person sees with kubectl. Its pods are simulated."""

from __future__ import annotations

import functools
import json
import operator
from typing import TYPE_CHECKING, Any

import pytest

from resource_graph import Resource, ResourceGraph
from rules.reading.objects.judged import read_mistakes
from rules.reading.releases import platform_resource
from tests.lab.dynamo_operator.built import read
from tests.lab.dynamo_operator.clusters import GRAPHS, until, until_answered
from tests.lab.fixtures.graphs import toy_graph, worker
from tests.updates.watching import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.dynamo_operator.clusters import Cluster

pytestmark = pytest.mark.lab
_GRAPHS_PATH = f"/apis/nvidia.com/v1alpha1/namespaces/{GRAPHS}/dynamographdeployments"

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


def test_a_graph_becomes_ready_through_component_deployments_and_scales_in_place(cluster: Cluster) -> None:
    cluster.apply(toy_graph(), "--validate=strict")
    cluster.await_condition("True")
    graph = cluster.graph()
    assert graph["status"]["state"] == "successful"
    assert graph["metadata"]["annotations"]["nvidia.com/dynamo-operator-origin-version"] == "1.2.1"
    parts = cluster.lab.get("dynamocomponentdeployments", "--namespace", GRAPHS)["items"]
    assert [each["metadata"]["finalizers"] for each in parts] == [["nvidia.com/finalizer"]] * 3
    before = cluster.names("deployments")
    assert [each["metadata"]["name"] for each in parts] == before
    cluster.apply(toy_graph(Prefill=worker("prefill", "1", replicas=3)))
    cluster.await_status(lambda each: each["components"]["Prefill"].get("readyReplicas") == 3)
    assert cluster.names("deployments") == before


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


def test_a_changed_worker_moves_all_workers_to_a_new_generation_and_the_frontend_stays(
    cluster: Cluster,
) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.names("deployments")
    variables = [{"name": "TOKEN", "value": "1"}]
    with Watch(cluster.lab, _GRAPHS_PATH) as graphs:
        cluster.apply(toy_graph(Decode=worker("decode", "4", envs=variables)))
        cluster.await_status(lambda each: each.get("rollingUpdate", {}).get("phase") == "Completed")
    # For a moment it says that its last generation is ready.
    changed = next(each.object for each in graphs.events if each.object["metadata"]["generation"] == 2)
    assert changed["status"]["observedGeneration"] == 1
    assert changed["status"]["conditions"][0]["status"] == "True"
    # The update is over when the old pods are gone; their Deployments and Services go a moment later.
    until(
        cluster.lab,
        "the old Deployments' end",
        lambda: set(before) & set(cluster.names("deployments")) == {"toy-frontend"},
    )
    after = cluster.names("deployments")
    assert len(after) == 3
    until(cluster.lab, "the old Services' end", lambda: cluster.names("services") == after)


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


def test_a_webhook_that_is_not_ready_refuses_changes_and_conversions_until_it_is(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    switch = cluster.lab.directory.switches / "webhook-not-ready"
    switch.touch()
    changed = toy_graph(Prefill=worker("prefill", "1", replicas=2))
    until_answered("a refusal", lambda: "connection refused" in cluster.apply(changed, check=False).stderr)
    read = cluster.lab.kubectl("get", V1BETA1, "toy", "--namespace", GRAPHS, check=False)
    assert read.returncode == 0 or "conversion webhook" in read.stderr
    switch.unlink()
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
