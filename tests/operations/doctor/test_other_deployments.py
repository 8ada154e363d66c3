"""Servers without Dynamo, graphs that others deployed, and what lies beside the parts that are broken."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from components.cluster_answer import DEPLOYMENTS
from operations.doctor.finding import Diagnosis
from operations.doctor.run import diagnose
from operations.errors import CommandError
from operations.smoke.graph_pods import GraphPods
from tests.cli.command import merged
from tests.operations.doctor.faults import FAULTS
from tests.operations.doctor.recorded_cluster import GRAPH, NAMESPACE, NODE, NOW, RecordedCluster

SILENT = "kubectl port-forward did not start within 5 s"
EVICTED = {"phase": "Failed", "reason": "Evicted", "message": "low\non disk"}


def _of_server(cluster: RecordedCluster) -> Diagnosis:
    """What the doctor says of it where the decode worker is a server without Dynamo."""
    reader: Any = cluster
    cluster.listed["pods"] = cluster.pods("decode")
    selector = {"nvidia.com/dynamo-component": "TrtllmDecodeWorker"}
    for service in cluster.listed["services"]:
        service["spec"]["selector"] = selector
    available = {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1}
    server = merged(cluster.one("deployments", "decode"), {"metadata": {"name": GRAPH}, "status": available})
    cluster.listed["deployments"] = [server]
    del cluster.listed["dynamographdeployments"]
    view = cluster.view()
    pods = GraphPods(reader, NAMESPACE, GRAPH, {"TrtllmDecodeWorker": ("worker",)}, answers="worker")
    asked = replace(view.asked, roles=("worker",), pods=pods)
    served = replace(view.served, by_dynamo=False)
    serves = cluster.ask(DEPLOYMENTS, GRAPH, NAMESPACE)
    return diagnose(replace(view, served=served, asked=asked, serves=serves), cluster.report(), NOW)


def _of_others(cluster: RecordedCluster) -> Diagnosis:
    view = cluster.view()
    asked = replace(view.asked, stack=None)
    return diagnose(replace(view, asked=asked, stack=None), cluster.report(), NOW)


def test_a_server_without_dynamo_needs_no_frontend_beside_its_workers() -> None:
    found = _of_server(RecordedCluster())
    assert (found.healthy, found.symptoms) == (True, ())


def test_the_service_of_a_server_is_put_back_by_its_stack_and_by_no_operator() -> None:
    cluster = RecordedCluster(wrong_answers={"frontend": SILENT})
    cluster.listed["services"] = []
    [cause] = _of_server(cluster).causes
    assert (cause.about, cause.page) == (f"service {GRAPH}-frontend", "drift")
    assert "`dynamo-stack drift`" in cause.fix


@pytest.mark.parametrize(
    ("fault", "fix"),
    [
        ("the frontend's Service leads nowhere", "delete it and restart the operator, which makes it again"),
        ("the namespace is being deleted", ""),
        (
            "the engine's files are gone",
            "apply the manifest that has it again, or make it; the pod then starts by itself",
        ),
    ],
)
def test_of_a_graph_of_others_no_command_of_a_stack_is_told(fault: str, fix: str) -> None:
    cluster = RecordedCluster()
    FAULTS[fault][0](cluster)
    cluster.one("services", "nats")["spec"]["selector"] = {"app": "another"}
    found = _of_others(cluster)
    told = [*found.causes, *found.symptoms]
    assert fix in [each.fix for each in told]
    assert not [each for each in told if "drift" in each.fix + each.page or "pulumi" in each.fix]


def test_files_that_are_gone_are_told_before_a_pod_starts_anew_without_them() -> None:
    cluster = RecordedCluster()
    cluster.pods("decode")[0]["spec"]["volumes"] += [
        {"configMap": {"name": "engine-1"}},
        {"configMap": {"name": "extras", "optional": True}},
    ]
    gone = "ConfigMap engine-1 is gone: its pods run on, and none of them starts anew;"
    found = cluster.diagnosis()
    assert found.headline().endswith(f"; {gone} `pulumi up --refresh --stack dev` makes it again")
    assert (found.healthy, _of_others(cluster).notes) == (True, (f"{gone} make it again",))
    cluster.not_allowed = "no port-forward"
    with pytest.raises(CommandError, match=f"no port-forward\n  note: {gone} .*\n  needed in namespace "):
        cluster.diagnosis()
    cluster.not_allowed = ""
    cluster.forbidden = frozenset({"configmaps"})
    assert "ConfigMap engine-1: not allowed" in cluster.diagnosis().unseen
    there = {"metadata": {"name": "engine-1", "namespace": NAMESPACE}}
    cluster = RecordedCluster(cluster.listed | {"configmaps": [there]})
    assert cluster.diagnosis().notes == ()


@pytest.mark.parametrize(("component", "gone"), [("Frontend", True), ("Front", False)])
def test_a_service_is_called_gone_only_where_its_name_is_known(component: str, gone: bool) -> None:
    cluster = RecordedCluster()
    for pod in cluster.pods("frontend"):
        pod["metadata"]["labels"]["nvidia.com/dynamo-component"] = component
    cluster.listed["services"].remove(cluster.one("services", "frontend"))
    view = cluster.view()
    pods: Any = GraphPods(view.cluster, NAMESPACE, GRAPH, {**view.asked.pods.roles, component: ("frontend",)})  # pyright: ignore[reportOptionalMemberAccess]
    asked = replace(view.asked, stack=None, pods=pods)
    found = diagnose(replace(view, asked=asked, stack=None), cluster.report(), NOW)
    assert ["is gone" in each.what for each in found.causes] == [True] * gone


def test_two_pods_without_a_node_that_do_not_go_are_causes_each() -> None:
    cluster = RecordedCluster()
    [pod] = cluster.pods("decode")
    FAULTS["a pod does not go"][0](cluster)
    cluster.listed["pods"].remove(pod)
    held = cluster.one("pods", "held")
    held["spec"]["nodeName"] = None
    cluster.listed["pods"].append(merged(held, {"metadata": {"name": "too"}}))
    assert {each.about for each in cluster.diagnosis().causes} == {"pod held", "pod too"}


def test_what_an_account_may_not_read_stands_under_not_seen() -> None:
    kinds = ("namespaces", "services", "deployments")
    found = RecordedCluster(forbidden=frozenset(kinds)).diagnosis()
    assert found.healthy
    assert {f"{kind}: not allowed" for kind in kinds} <= set(found.unseen)


@pytest.mark.parametrize(
    ("status", "note"),
    [(EVICTED, ("pod old ended: Evicted, low on disk",)), ({"phase": "Failed"}, ())],
    ids=["evicted", "its container failed"],
)
def test_a_pod_that_has_ended_is_noted_with_its_reason(status: dict[str, Any], note: tuple[str, ...]) -> None:
    cluster = RecordedCluster()
    ready = {"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-28T08:55:00Z"}
    old = {"metadata": {"name": "old"}, "status": {"conditions": [ready], **status}}
    cluster.listed["pods"].append(merged(cluster.pods("decode")[0], old))
    assert cluster.diagnosis().notes == note


def test_a_box_of_tools_is_no_member_of_nats() -> None:
    cluster = RecordedCluster()
    cluster.listed["pods"].append(
        merged(cluster.one("pods", "nats-0"), {"metadata": {"name": "dynamo-platform-nats-box-7f-x2"}})
    )
    cluster.listed["pods"].remove(cluster.one("pods", "nats-0"))
    assert cluster.view().members("dynamo-platform-nats") == []


def _cordoned(cluster: RecordedCluster) -> None:
    cluster.one("nodes", NODE)["spec"] |= {"unschedulable": True, "taints": []}


def _without_count(cluster: RecordedCluster) -> None:
    _cordoned(cluster)
    del cluster.one("nodes", NODE)["metadata"]["labels"]["nvidia.com/gpu.count"]


def _by_claim(cluster: RecordedCluster) -> None:
    _cordoned(cluster)
    [container] = cluster.pods("decode")[0]["spec"]["containers"]
    container["resources"] = {"claims": [{"name": "gpu"}]}


@pytest.mark.parametrize("breaks", [_cordoned, _without_count, _by_claim])
def test_a_cordoned_node_of_the_stack_is_named(breaks: Callable[[RecordedCluster], None]) -> None:
    cluster = RecordedCluster()
    FAULTS["a GPU node is tainted"][0](cluster)
    breaks(cluster)
    assert f"node {NODE} is cordoned" in cluster.diagnosis().headline()


def test_a_taint_of_a_controller_is_looked_at_and_not_removed() -> None:
    cluster = RecordedCluster()
    FAULTS["a GPU node is tainted"][0](cluster)
    cluster.one("nodes", NODE)["spec"]["taints"] = [
        {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}
    ]
    [cause] = cluster.diagnosis().causes
    assert (cause.fix, cause.command) == ("", f"kubectl describe node {NODE}")
