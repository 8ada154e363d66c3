"""`dynamo-stack pools`, with a kubectl that answers as an API server would."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command import Answer, Command, merged, read_document, squeezed
from tests.operations.fake_cluster import CONTEXT, FakeCluster
from tests.operations.node_pools.test_pools import B200, SYSTEM, elsewhere, lab_nodes

Pools = Callable[..., Answer]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    return FakeCluster(tmp_path).answer_in(monkeypatch)


@pytest.fixture
def pools(command: Command, cluster: FakeCluster) -> Pools:
    """The command on a cluster that has these nodes."""

    def asked(*options: str, nodes: list[dict[str, Any]] | None = None, context: str = CONTEXT) -> Answer:
        cluster.objects["nodes"] = nodes or []
        return command("pools", "--context", context, *options)

    return asked


def test_the_pools_of_a_cluster_are_printed_as_yaml_to_paste(pools: Pools, cluster: FakeCluster) -> None:
    answer = pools(nodes=[elsewhere(lab_nodes()[B200]), lab_nodes()[SYSTEM]])
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[:4] == [
        "# 1 node with GPUs of context dynamo-lab",
        "nodePools:",
        "# rdma: no InfiniBand or RoCE device is offered to pods",
        "- name: b200",
    ]
    [pool] = yaml.safe_load(answer.out)["nodePools"]
    assert pool["node"]["memory"] == "1992Gi"
    [call] = cluster.typed("get")
    assert call.startswith("--context dynamo-lab ")


def test_without_a_kubeconfig_no_setting_is_named_that_the_command_does_not_read(
    pools: Pools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/absent")
    answer = pools(context="gpu-cluster")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("names exists: /absent\n  try: set KUBECONFIG\n")


def test_a_program_reads_the_same_as_json(pools: Pools) -> None:
    away = merged(elsewhere(lab_nodes()[B200], "away"), {"status": {"conditions": []}})
    content = read_document("pools", pools("--json", nodes=[elsewhere(lab_nodes()[B200]), away]).out)
    assert [pool["name"] for pool in content["nodePools"]] == ["b200"]
    assert content["notes"] == {"b200": ["rdma: no InfiniBand or RoCE device is offered to pods"]}
    assert content["leftOut"] == [{"nodes": ["away"], "reason": "not ready"}]


def test_gpus_that_nobody_can_use_end_with_exit_code_1(pools: Pools) -> None:
    node = merged(elsewhere(lab_nodes()[B200], "cordoned"), {"spec": {"unschedulable": True}})
    answer = pools(nodes=[node])
    assert (answer.code, answer.out) == (
        1,
        "# 0 nodes with GPUs of context dynamo-lab\n# left out: cordoned: cordoned\n",
    )


def test_a_cluster_without_gpus_is_told_which_labels_were_looked_for(pools: Pools) -> None:
    answer = pools(nodes=[lab_nodes()[SYSTEM]])
    assert (answer.code, answer.out) == (2, "")
    text = squeezed(answer.err)
    assert "context dynamo-lab leads to 1 node, and none has GPUs" in text
    assert "looked for: allocatable nvidia.com/gpu; labels nvidia.com/gpu.product" in text
    assert "cloud.google.com/gke-accelerator" in text


def test_a_context_that_does_not_exist_is_refused_with_the_nearest(pools: Pools) -> None:
    answer = pools(context="dynamo-lap")
    assert answer.code == 2
    assert answer.err.startswith("dynamo-stack pools: --context = 'dynamo-lap'\n  there is no such context")
    assert "  try: dynamo-lab" in answer.err


def test_an_api_server_out_of_reach_is_said_in_kubectl_s_words(pools: Pools, cluster: FakeCluster) -> None:
    cluster.say("get.refused", "Unable to connect to the server: EOF\n")
    answer = pools()
    assert answer.code == 2
    assert "the cluster of context dynamo-lab does not answer; nothing was changed" in answer.err
    assert "Unable to connect to the server: EOF" in answer.err
