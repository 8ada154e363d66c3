"""Whether the workers fit beside what others run: as the cluster says, or by the settings alone."""

from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from recipes.graph_manifest.placement import NVLINK_CLIQUE
from stacks.updates.free_gpus import pool_uses, room_notices
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings, resolved

GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"


class Cluster(ClusterReader):
    """A cluster with these nodes and pods; None where it does not say."""

    nodes: list[dict[str, Any]] | None = None
    pods: list[dict[str, Any]] | None = None
    asked: list[tuple[str, ...]]

    def get(self, *words: str) -> dict[str, Any] | None:
        type(self).asked.append(words)
        items = self.nodes if words[0] == "nodes" else self.pods
        return None if items is None else {"items": items}


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


def _told(
    settings: dict[str, Any],
    nodes: list[dict[str, Any]] | None,
    pods: list[dict[str, Any]] | None,
    *graphs: str,
) -> tuple[str, bool, list[tuple[str, ...]]]:
    there, running = nodes, pods

    class Looked(Cluster):
        nodes = there
        pods = running
        asked: list[tuple[str, ...]] = []  # noqa: RUF012 - of this test's own class

    stack = resolved(settings)
    [notice] = room_notices(stack, pool_uses(stack, Looked("gpu-cluster"), graphs))
    return notice.text, notice.warns, Looked.asked


def test_an_empty_pool_is_said_to_be_free_and_two_questions_are_enough() -> None:
    text, warns, asked = _told(disagg_b200_settings(), [_node("a", 8)], [_pod("kube-system", "a", 0)])
    assert text == "room: pool b200: 8 of 8 GPUs free, used by others: none; the graph needs 5: it fits"
    assert not warns
    assert [words[0] for words in asked] == ["nodes", "pods"]
    assert all(not {"--watch", "delete", "apply", "patch"} & {*words} for words in asked)


def test_what_others_use_is_counted_by_namespace_and_warned_of_where_it_leaves_too_little() -> None:
    pods = [_pod("team-a", "a", 2), _pod("team-a", "a", 1), _pod("team-b", "a", 1), _pod("team-c", "else", 8)]
    text, warns, _ = _told(disagg_b200_settings(), [_node("a", 8)], pods)
    assert text == (
        "room: pool b200: 4 of 8 GPUs free, used by others: team-a 3 GPUs in 2 pods, team-b 1 GPU in 1 pod; "
        "the graph needs 5: it does not fit until they end, or nodes join"
    )
    assert warns


def test_pods_of_the_stacks_own_graphs_make_room_and_are_nobody_elses() -> None:
    own = [_pod("gpt-oss", "a", 4, "gpt-oss-disagg"), _pod("gpt-oss", "a", 4, "before")]
    assert "8 of 8 GPUs free" in _told(disagg_b200_settings(), [_node("a", 8)], own, "before")[0]
    theirs = [_pod("elsewhere", "a", 4, "gpt-oss-disagg")]
    assert "4 of 8 GPUs free" in _told(disagg_b200_settings(), [_node("a", 8)], theirs)[0]


def test_free_gpus_that_lie_apart_hold_no_worker_that_is_larger_than_each_rest() -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nodes"] = 2
    nodes = [_node("a", 8), _node("b", 8)]
    apart = [_pod("team-a", "a", 5), _pod("team-a", "b", 5)]
    text, warns, _ = _told(settings, nodes, apart)
    assert text.startswith("room: pool b200: 6 of 16 GPUs free")
    assert warns


def test_trays_of_different_cliques_do_not_hold_one_graph_together() -> None:
    two = [_node("a", 4, clique="x.1"), _node("b", 4, clique="x.2")]
    one = [_node("a", 4, clique="x.1"), _node("b", 4, clique="x.1")]
    assert _told(disagg_gb200_settings(), two, [])[1]
    assert not _told(disagg_gb200_settings(), one, [])[1]


@pytest.mark.parametrize("nodes", [[], [_node("a", 8, ready="False")], [_node("a", 8, unschedulable=True)]])
def test_a_pool_without_a_node_that_takes_pods_is_judged_by_the_settings_alone(
    nodes: list[dict[str, Any]],
) -> None:
    text, warns, _ = _told(disagg_b200_settings(), nodes, [])
    assert text == (
        "room: pool b200: the graph's 5 GPUs fit into 8 by the settings alone, "
        "the cluster has none of its nodes ready"
    )
    assert not warns


@pytest.mark.parametrize(("nodes", "pods"), [(None, None), ([], None)])
def test_a_cluster_that_cannot_be_asked_is_said_not_to_have_been(
    nodes: list[dict[str, Any]] | None, pods: list[dict[str, Any]] | None
) -> None:
    text, warns, asked = _told(disagg_b200_settings(), nodes, pods)
    assert text.endswith("fit into 8 by the settings alone, the cluster could not be asked")
    assert not warns
    assert len(asked) <= 2
