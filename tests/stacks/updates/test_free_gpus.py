"""Whether the workers fit beside what others run: as the cluster says, or by the settings alone."""

from typing import Any

import pytest

from components.cluster_answer import Answer
from recipes.pod_placement import NVLINK_CLIQUE
from stacks.updates.comparable_graph import Graph, graph_of
from stacks.updates.free_gpus import pool_uses, room_notices, room_problems
from stacks.updates.running import Running
from tests.stacks.changed_settings import SECOND_NODE, changed, override
from tests.stacks.updates.changes import state
from tests.support.clusters import REFUSED, SILENT, Told
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings, resolved
from tests.support.eks_settings import eks_b200_settings

B200 = disagg_b200_settings()
GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"


def _node(name: str, gpus: int, *, clique: str = "", ready: str = "True", **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {NVLINK_CLIQUE: clique} if clique else {}},
        "spec": spec,
        "status": {
            "allocatable": {"nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": ready}],
        },
    }


def _pod(namespace: str, node: str, gpus: int, graph: str = "") -> dict[str, Any]:
    resources = {"requests": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
    return {
        "metadata": {"namespace": namespace, "name": "p", "labels": {GRAPH_LABEL: graph} if graph else {}},
        "spec": {"nodeName": node, "containers": [{"resources": resources}]},
    }


Objects = list[dict[str, Any]] | Answer


def _told(settings: dict[str, Any], nodes: Objects, pods: Objects, *graphs: Graph) -> tuple[str, bool, Told]:
    stack, cluster = resolved(settings), Told({"nodes": nodes, "pods": pods})
    [notice] = room_notices(stack, pool_uses(stack, cluster, graphs))
    return notice.text, notice.warns, cluster


def _refused(
    settings: dict[str, Any], nodes: Objects, pods: Objects, before: Running | None = None
) -> list[str]:
    stack = resolved(settings)
    uses = pool_uses(stack, Told({"nodes": nodes, "pods": pods}))
    problems = room_problems(stack, graph_of(stack), before or Running(), uses)
    return [problem.text("Pulumi.dev.yaml") for problem in problems]


def test_an_empty_pool_is_said_to_be_free_and_two_questions_are_enough() -> None:
    text, warns, cluster = _told(B200, [_node("a", 8)], [_pod("kube-system", "a", 0)])
    assert text == "room: pool b200: 8 of 8 GPUs not used by others; this stack needs 5: it fits"
    assert not warns
    assert [asked[0] for asked in cluster.asked] == ["nodes", "pods"]


def test_what_others_use_is_counted_by_namespace_and_refused_where_it_leaves_too_little() -> None:
    pods = [_pod("team-a", "a", 2), _pod("team-a", "a", 1), _pod("team-b", "a", 1), _pod("team-c", "else", 8)]
    text, warns, _ = _told(B200, [_node("a", 8)], pods)
    assert text == (
        "room: pool b200: 4 of 8 GPUs not used by others (team-a 3 GPUs, "
        "team-b 1 GPU); this stack needs 5: it does not fit until others end, or nodes join"
    )
    assert warns
    assert _refused(B200, [_node("a", 8)], pods) == [
        "Pulumi.dev.yaml: serving.replicas\n"
        "  pool b200: 4 of 8 GPUs not used by others (team-a 3 GPUs, team-b 1 GPU); "
        "this stack needs 5. `up` would wait for it; nothing was created or changed\n"
        "  try: fewer replicas, another pool, or serving.waitForRoom: true, with which `up` waits for room "
        "as long as for the graph"
    ]


def test_pods_that_are_going_make_room() -> None:
    ending = changed(_pod("team-a", "a", 4), {"metadata.deletionTimestamp": "now"})
    assert _refused(B200, [_node("a", 8)], [ending]) == []


def test_more_nodes_than_the_cluster_has_are_refused_by_the_key_that_says_so() -> None:
    four = changed(B200, {"nodePools[0].nodes": 4})
    [said] = _refused(changed(four, {"serving.replicas": "fill"}), [_node("a", 8)], [])
    assert said.startswith(
        "Pulumi.dev.yaml: nodePools[0].nodes = 4\n"
        "  nodes of this pool that take pods in the cluster: 1. pool b200: 8 of 8 GPUs not used by others; "
    )
    assert "try: its real number, or serving.waitForRoom: true" in said
    # They do no harm where the workers fit.
    assert _refused(four, [_node("a", 8)], []) == []


def test_a_stack_that_waits_for_room_or_makes_its_nodes_is_refused_nothing() -> None:
    waits = changed(B200, {"serving.waitForRoom": True})
    text, warns, _ = _told(waits, [], [])
    assert text.endswith("this stack needs 5: it does not fit until others end, or nodes join")
    assert warns
    assert _refused(waits, [], []) == _refused(eks_b200_settings(), [], []) == []


def test_workers_that_run_on_a_cordoned_node_and_stay_are_refused_nothing() -> None:
    before = state(B200)
    nodes = [_node("a", 8, unschedulable=True)]
    running = [_pod("gpt-oss", "a", 5, "gpt-oss-disagg")]
    assert _refused(B200, nodes, running, before) == []
    # Those that are rolled need a node.
    assert _refused(changed(B200, override("decode", max_batch_size=16)), nodes, running, before)


@pytest.mark.parametrize(
    ("pods", "running", "free"),
    [
        pytest.param(
            [_pod("gpt-oss", "a", 4, "gpt-oss-disagg"), _pod("gpt-oss", "a", 4, "before")],
            [Graph("before", "gpt-oss", "v1beta1", {})],
            8,
            id="its own and that of before",
        ),
        pytest.param([_pod("elsewhere", "a", 4, "gpt-oss-disagg")], [], 4, id="its name elsewhere"),
        pytest.param(
            [_pod("elsewhere", "a", 4, "gpt-oss-disagg")],
            [Graph("gpt-oss-disagg", "elsewhere", "v1beta1", {})],
            8,
            id="its own, which moves to another namespace",
        ),
    ],
)
def test_pods_of_the_stacks_own_graphs_make_room_and_are_nobody_elses(
    pods: Objects, running: list[Graph], free: int
) -> None:
    assert f"{free} of 8 GPUs not used by others" in _told(B200, [_node("a", 8)], pods, *running)[0]


def test_free_gpus_that_lie_apart_hold_no_worker_that_is_larger_than_each_rest() -> None:
    apart = [_pod("team-a", "a", 5), _pod("team-a", "b", 5)]
    text, warns, _ = _told(changed(B200, SECOND_NODE), [_node("a", 8), _node("b", 8)], apart)
    assert text.startswith("room: pool b200: 6 of 16 GPUs not used by others")
    assert warns


@pytest.mark.parametrize(("other", "fits"), [("x.1", True), ("x.2", False)])
def test_trays_of_different_cliques_do_not_hold_one_graph_together(other: str, fits: bool) -> None:
    trays = [_node("a", 4, clique="x.1"), _node("b", 4, clique=other)]
    assert (_refused(disagg_gb200_settings(), trays, []) == []) is fits


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ([], "no node bears kubernetes.io/arch=amd64,nvidia.com/gpu.product="),
        ([_node("a", 8, ready="False")], "node a is not Ready (`kubectl describe node a` says why)"),
        ([_node("a", 8, unschedulable=True)], "node a is cordoned (`kubectl uncordon a` takes that back)"),
    ],
)
def test_a_pool_without_a_node_that_takes_pods_is_refused_with_the_cause(nodes: Objects, why: str) -> None:
    [said] = _refused(B200, nodes, [])
    assert "nodePools[0].nodes = 1\n  nodes of this pool that take pods in the cluster: 0" in said
    assert why in said


@pytest.mark.parametrize(("nodes", "pods"), [(SILENT, SILENT), (REFUSED, []), ([], SILENT)])
def test_a_cluster_that_cannot_be_asked_is_said_not_to_have_been_and_refuses_nothing(
    nodes: Objects, pods: Objects
) -> None:
    text, warns, cluster = _told(B200, nodes, pods)
    assert "fit into 8 by the settings alone, the cluster could not be asked: " in text
    assert not warns
    assert _refused(B200, nodes, pods) == []
    assert len(cluster.asked) <= 2
