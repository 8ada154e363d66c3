"""`dynamo-stack pools`, with a kubectl that answers as an API server would."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from components import cluster_reader
from components.cluster_answer import NODES, Answer
from tests.cli.command import squeezed
from tests.cli.documents.schemas import read_document
from tests.operations.node_pools.test_pools import B200, SYSTEM, elsewhere, lab_nodes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from components.cluster_answer import ClusterAddress, Kind

from tests.cli.command import Command

_KUBECTL = """#!/bin/sh
echo "$*" >> {folder}/calls
case "$*" in
*readyz*) test -e {folder}/nodes.json || {{ echo 'Unable to connect to the server: EOF' >&2; exit 1; }} ;;
esac
"""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A kubeconfig with the context `gpus`, whose cluster has the given nodes; without any it is away."""
    kubeconfig, kubectl = tmp_path / "kubeconfig", tmp_path / "kubectl"
    kubectl.write_text(_KUBECTL.format(folder=tmp_path), encoding="utf-8")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    contexts = [{"name": "gpus", "context": {"cluster": "c"}}]
    clusters = [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]
    kubeconfig.write_text(yaml.safe_dump({"contexts": contexts, "clusters": clusters}), encoding="utf-8")

    def with_nodes(*nodes: dict[str, Any]) -> Path:
        (tmp_path / "nodes.json").touch()

        def ask(address: ClusterAddress, kind: Kind, *_: Any, **__: Any) -> Answer:
            assert (address.context, address.kubeconfig, kind) == ("gpus", str(kubeconfig), NODES)
            return Answer.of(nodes)

        monkeypatch.setattr(cluster_reader, "ask", ask)
        return kubeconfig

    return with_nodes


def test_the_pools_of_a_cluster_are_printed_as_yaml_to_paste(
    command: Command, cluster: Callable[..., Path], tmp_path: Path
) -> None:
    kubeconfig = cluster(elsewhere(lab_nodes()[B200]), lab_nodes()[SYSTEM])
    answer = command("pools", "--context", "gpus", "--kubeconfig", kubeconfig)
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
        assert f"--kubeconfig {kubeconfig} --context gpus" in call


def test_a_program_reads_the_same_as_json(command: Command, cluster: Callable[..., Path]) -> None:
    away = elsewhere(lab_nodes()[B200], "away")
    away["status"]["conditions"] = []
    kubeconfig = cluster(elsewhere(lab_nodes()[B200]), away)
    answer = command("pools", "--context", "gpus", "--kubeconfig", kubeconfig, "--json")
    content = read_document("pools", answer.out)
    assert [pool["name"] for pool in content["nodePools"]] == ["b200"]
    assert content["notes"] == {"b200": ["rdma: no InfiniBand or RoCE device is offered to pods"]}
    assert content["leftOut"] == [{"nodes": ["away"], "reason": "not ready"}]


def test_gpus_that_nobody_can_use_end_with_exit_code_1(
    command: Command, cluster: Callable[..., Path]
) -> None:
    node = elsewhere(lab_nodes()[B200], "cordoned")
    node["spec"]["unschedulable"] = True
    answer = command("pools", "--context", "gpus", "--kubeconfig", cluster(node))
    assert (answer.code, answer.out) == (
        1,
        "# 0 nodes with GPUs of context gpus\n# left out: cordoned: cordoned\n",
    )


def test_a_cluster_without_gpus_is_told_which_labels_were_looked_for(
    command: Command, cluster: Callable[..., Path]
) -> None:
    answer = command("pools", "--context", "gpus", "--kubeconfig", cluster(lab_nodes()[SYSTEM]))
    assert (answer.code, answer.out) == (2, "")
    text = squeezed(answer.err)
    assert "context gpus leads to 1 node, and none has GPUs" in text
    assert "looked for: allocatable nvidia.com/gpu; labels nvidia.com/gpu.product" in text
    assert "cloud.google.com/gke-accelerator" in text


def test_a_context_that_does_not_exist_is_refused_with_the_nearest(
    command: Command, cluster: Callable[..., Path]
) -> None:
    answer = command("pools", "--context", "gpu", "--kubeconfig", cluster())
    assert answer.code == 2
    assert answer.err.startswith("dynamo-stack pools: --context = 'gpu'\n  there is no such context in ")
    assert "  try: gpus" in answer.err


def test_a_kubeconfig_that_does_not_exist_is_named(command: Command, tmp_path: Path) -> None:
    answer = command("pools", "--context", "gpus", "--kubeconfig", tmp_path / "none")
    assert answer.code == 2
    assert answer.err.startswith("dynamo-stack pools: --kubeconfig = ")


def test_an_api_server_out_of_reach_is_said_in_kubectl_s_words(
    command: Command, cluster: Callable[..., Path], tmp_path: Path
) -> None:
    kubeconfig = cluster()
    (tmp_path / "nodes.json").unlink()
    answer = command("pools", "--context", "gpus", "--kubeconfig", kubeconfig)
    assert answer.code == 2
    assert "the cluster of context gpus does not answer; nothing was changed" in answer.err
    assert "Unable to connect to the server: EOF" in answer.err
