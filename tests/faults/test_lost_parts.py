"""Nodes and members, lost under a stack that is up on GB200 trays; healed by the runbook."""

from collections.abc import Callable

import pytest

from tests.faults.conftest import GRAPH, NAMESPACE, PLATFORM, ask_for, is_ready
from tests.operations.doctor.first_line import sick
from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving_stacks.pods import claims_of, nodes_of, pods_of
from tests.serving_stacks.rehearsal import prepare
from tests.support.faults import nodes
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

TRAYS = ("p6e-gb200-0", "p6e-gb200-1")
OTHER_CLIQUE, OTHER_TRAYS = "6b1f0c52-93a4-4d3e-8a67-0d7f5f2f9c10.1", ("p6e-gb200-2", "p6e-gb200-3")
SERVERS = ("dynamo-nats", "dynamo-etcd")


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    found = prepare(own_lab, tmp_path_factory.mktemp("lost"), "disagg-gb200-two-trays", discover_by_etcd)
    found.pulumi("up", "--yes", "--skip-preview")
    return found


def test_a_lost_gpu_node_is_named_by_up_and_its_worker_starts_on_the_node_that_replaces_it(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    [tray] = _workers(stack)["prefill"]
    nodes.lose(stack.lab, tray)
    assert f"node {tray}: not ready, Kubelet stopped posting node status." in sick(stack)
    ask_for(stack, frontends=2, ready_seconds=5)
    said = stack.failing_up()
    assert f"node {tray}: not ready, Kubelet stopped posting node status." in said
    assert "The wait for graph gpt-oss-disagg ended." in said
    assert "docs/runbook/gpu-node-lost.md" in said
    *removal, waiting = commands("gpu-node-lost")
    for command in removal:
        typed(stack, command, NODE=tray, GRAPH=GRAPH)
    [worker] = pods_of(stack.lab, GRAPH, NAMESPACE)["prefill"]
    assert worker["status"]["phase"] == "Pending"
    nodes.join(stack.lab, tray)
    typed(stack, waiting, GRAPH=GRAPH)
    assert _workers(stack)["prefill"] == [tray]
    fault("at once when a new node is there, plus the load of the model")


def test_workers_of_a_lost_clique_move_together_to_another_one_that_has_room(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    nodes.join_clique(stack.lab, OTHER_CLIQUE, TRAYS[0], *OTHER_TRAYS)
    nodes.lose(stack.lab, *TRAYS)
    assert f"node {TRAYS[0]}: not ready" in sick(stack)
    listing, drain, delete, _, _, look, waiting, _ = commands("clique-lost")
    typed(stack, listing)
    for tray in TRAYS:
        typed(stack, drain, NODE=tray)
        typed(stack, delete, NODE=tray)
    typed(stack, look, GRAPH=GRAPH)
    typed(stack, waiting, GRAPH=GRAPH)
    workers = _workers(stack)
    assert {*workers["prefill"], *workers["decode"]} == set(OTHER_TRAYS)
    assert _channels(stack) == set(OTHER_TRAYS)
    fault("by itself where another clique has room, plus the load of the model")


def test_the_worker_that_survives_in_half_a_clique_keeps_the_other_from_a_whole_one_until_it_is_deleted(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    nodes.join(stack.lab, *TRAYS)
    workers = _workers(stack)
    [lost], [survivor] = workers["prefill"], workers["decode"]
    nodes.lose(stack.lab, lost)
    listing, drain, delete, cordon, release, look, waiting, uncordon = commands("clique-lost")
    typed(stack, listing)
    typed(stack, drain, NODE=lost)
    typed(stack, delete, NODE=lost)
    until(
        lambda: "didn't match pod affinity rules" in _scheduler_says(stack),
        "its words",
        cluster=stack.lab.directory,
    )
    assert not is_ready(stack)
    assert "no node has room beside the pods that it must be with" in sick(stack)
    typed(stack, cordon, SURVIVOR=survivor)
    typed(stack, release, GRAPH=GRAPH)
    typed(stack, look, GRAPH=GRAPH)
    typed(stack, waiting, GRAPH=GRAPH)
    typed(stack, uncordon, SURVIVOR=survivor)
    workers = _workers(stack)
    assert {*workers["prefill"], *workers["decode"]} == set(TRAYS)
    fault("two commands of a person, plus the load of the model")
    # Alone in its clique it would be a trap for the first worker that is placed anew.
    stack.lab.kubectl("delete", "node", survivor)


def test_members_on_a_lost_node_come_back_only_when_the_node_is_deleted_and_replaced(
    stack: LabStack, fault: Callable[[str], None]
) -> None:
    lost = "system-0"
    members = _members_on(stack, lost)
    assert len(members) == len(SERVERS)
    nodes.lose(stack.lab, lost)
    assert f"node {lost}: not ready" in sick(stack)
    *removal, servers, graph = commands("system-node-lost")
    for command in removal:
        typed(stack, command, NODE=lost)
    assert _members_on(stack, lost) == []
    nodes.join(stack.lab, lost)
    typed(stack, servers)
    typed(stack, servers.replace("dynamo-nats", "dynamo-etcd"))
    typed(stack, graph, GRAPH=GRAPH)
    assert _members_on(stack, lost) == members
    fault("at once when a new node of the zone is there")


@pytest.mark.parametrize(
    ("page", "member"), [("etcd-member-lost", "dynamo-etcd-1"), ("nats-member-lost", "dynamo-nats-1")]
)
def test_a_member_that_lost_its_volume_gets_an_empty_one_and_the_graph_serves_on(
    stack: LabStack, fault: Callable[[str], None], page: str, member: str
) -> None:
    until(lambda: is_ready(stack), "the graph ready after what was lost before", cluster=stack.lab.directory)
    before = stack.lab.get("pvc", f"data-{member}", "-n", PLATFORM)["metadata"]["uid"]
    for command in commands(page):
        # What etcd itself is told is tried on real processes (tests/servers); the rest is Kubernetes'.
        if " exec " not in command and not command.startswith("pulumi "):
            typed(stack, command, MEMBER=member, GRAPH=GRAPH)
    until(
        lambda: stack.lab.get("pvc", f"data-{member}", "-n", PLATFORM)["metadata"]["uid"] != before,
        "a new volume",
        cluster=stack.lab.directory,
    )
    # The page of NATS restarts the frontends, and the graph may be Ready by what was before that.
    until(lambda: is_ready(stack), "the graph ready", cluster=stack.lab.directory)
    fault("none: the other two members go on")


def test_after_all_of_it_up_finds_what_it_recorded_as_not_ready_and_then_nothing(stack: LabStack) -> None:
    ask_for(stack, frontends=1)
    stack.pulumi("up", "--yes", "--skip-preview")
    assert is_ready(stack)
    stack.pulumi("up", "--yes", "--skip-preview")
    assert stack.changes() == {}


def _workers(stack: LabStack) -> dict[str, list[str]]:
    found = pods_of(stack.lab, GRAPH, NAMESPACE)
    return {role: nodes_of(found[role]) for role in ("prefill", "decode")}


def _channels(stack: LabStack) -> set[str]:
    found = pods_of(stack.lab, GRAPH, NAMESPACE)
    claims = [
        claim for role in ("prefill", "decode") for pod in found[role] for claim in claims_of(stack.lab, pod)
    ]
    return {each["pool"] for claim in claims for each in claim["status"]["allocation"]["devices"]["results"]}


def _scheduler_says(stack: LabStack) -> str:
    conditions = [
        condition
        for pods in pods_of(stack.lab, GRAPH, NAMESPACE).values()
        for pod in pods
        for condition in pod["status"].get("conditions", [])
    ]
    return " ".join(each.get("message", "") for each in conditions if each["type"] == "PodScheduled")


def _members_on(stack: LabStack, node: str) -> list[str]:
    selector = f"app.kubernetes.io/name in ({', '.join(SERVERS)})"
    pods = stack.lab.get("pods", "-n", PLATFORM, "-l", selector)["items"]
    return sorted(pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName") == node)
