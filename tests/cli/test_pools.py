"""`dynamo-stack pools`, with a kubectl that answers as an API server would."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from components import cluster_reader
from components.cluster_answer import NODES, Answer
from tests.cli.command import merged, squeezed
from tests.cli.documents.schemas import read_document
from tests.operations.node_pools.test_pools import B200, SYSTEM, elsewhere, lab_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from components.cluster_answer import Kind
    from components.cluster_reader import ClusterReader
    from tests.cli.command import Answer as Seen
    from tests.cli.command import Command

    Pools = Callable[..., Seen]

_KUBECTL = """#!/bin/sh
echo "$*" >> {folder}/calls
case "$*" in
*readyz*) test -e {folder}/nodes.json || {{ echo 'Unable to connect to the server: EOF' >&2; exit 1; }} ;;
esac
"""


@pytest.fixture
def pools(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pools:
    """The command on a kubeconfig with the context `gpus`, whose cluster has these nodes or is away."""
    kubeconfig, kubectl = tmp_path / "kubeconfig", tmp_path / "kubectl"
    kubectl.write_text(_KUBECTL.format(folder=tmp_path), encoding="utf-8")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    contexts = [{"name": "gpus", "context": {"cluster": "c"}}]
    clusters = [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]
    kubeconfig.write_text(yaml.safe_dump({"contexts": contexts, "clusters": clusters}), encoding="utf-8")

    def asked(*options: str, nodes: Sequence[Mapping[str, Any]] | None = (), context: str = "gpus") -> Seen:
        if nodes is not None:
            (tmp_path / "nodes.json").touch()

        def ask(cluster: ClusterReader, kind: Kind, *_: Any, **__: Any) -> Answer:
            assert (cluster.context, kind) == ("gpus", NODES)
            return Answer.of(nodes or ())

        monkeypatch.setattr(cluster_reader, "ask", ask)
        return command("pools", "--context", context, *options)

    return asked


def test_the_pools_of_a_cluster_are_printed_as_yaml_to_paste(pools: Pools, tmp_path: Path) -> None:
    answer = pools(nodes=[elsewhere(lab_nodes()[B200]), lab_nodes()[SYSTEM]])
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[:4] == [
        "# 1 node with GPUs of context gpus",
        "nodePools:",
        "# rdma: no InfiniBand or RoCE device is offered to pods",
        "- name: b200",
    ]
    [pool] = yaml.safe_load(answer.out)["nodePools"]
    assert pool["node"]["memory"] == "1992Gi"
    for call in (tmp_path / "calls").read_text().splitlines():
        assert "--context gpus" in call


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
        "# 0 nodes with GPUs of context gpus\n# left out: cordoned: cordoned\n",
    )


def test_a_cluster_without_gpus_is_told_which_labels_were_looked_for(pools: Pools) -> None:
    answer = pools(nodes=[lab_nodes()[SYSTEM]])
    assert (answer.code, answer.out) == (2, "")
    text = squeezed(answer.err)
    assert "context gpus leads to 1 node, and none has GPUs" in text
    assert "looked for: allocatable nvidia.com/gpu; labels nvidia.com/gpu.product" in text
    assert "cloud.google.com/gke-accelerator" in text


def test_a_context_that_does_not_exist_is_refused_with_the_nearest(pools: Pools) -> None:
    answer = pools(context="gpu")
    assert answer.code == 2
    assert answer.err.startswith("dynamo-stack pools: --context = 'gpu'\n  there is no such context in ")
    assert "  try: gpus" in answer.err


def test_an_api_server_out_of_reach_is_said_in_kubectl_s_words(pools: Pools) -> None:
    answer = pools(nodes=None)
    assert answer.code == 2
    assert "the cluster of context gpus does not answer; nothing was changed" in answer.err
    assert "Unable to connect to the server: EOF" in answer.err
