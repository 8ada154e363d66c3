"""What `dynamo-stack pools` makes of a cluster's nodes."""

import copy
from typing import Any

import yaml

from lab.directory import REPOSITORY
from operations.node_pools.pools import FoundPools, pools_of
from tests.support.dev_settings import existing_cluster_settings, resolved

NODES = REPOSITORY / "lab/fixtures/nodes.yaml"
B200, GB200, SYSTEM = "p6-b200-0", "p6e-gb200-0", "system-0"
GKE = "cloud.google.com/gke-accelerator"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"


def lab_nodes() -> dict[str, dict[str, Any]]:
    """The lab's nodes by name, as a kubelet that answers reports them."""
    nodes = [node for node in yaml.safe_load_all(NODES.read_text(encoding="utf-8")) if node]
    for node in nodes:
        node["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return {node["metadata"]["name"]: node for node in nodes}


def elsewhere(node: dict[str, Any], name: str = "node-0", **labels: str | None) -> dict[str, Any]:
    """The same node in a cluster outside EC2; `labels` are further ones, None takes one away."""
    moved = copy.deepcopy(node)
    moved["metadata"]["name"] = name
    changed = {INSTANCE_TYPE: "a4-highgpu-8g", "eks.amazonaws.com/nodegroup": None} | labels
    kept = moved["metadata"]["labels"] | changed
    moved["metadata"]["labels"] = {key: value for key, value in kept.items() if value is not None}
    del moved["status"]["allocatable"]["vpc.amazonaws.com/efa"]
    return moved


def found(*nodes: dict[str, Any]) -> FoundPools:
    return pools_of("lab", nodes)


def test_nodes_of_ec2_are_named_by_their_instance_type() -> None:
    pools = found(*lab_nodes().values())
    assert [dict(pool) for pool in pools.node_pools] == [
        {"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1},
        {"name": "gb200", "instanceType": "p6e-gb200.36xlarge", "nodes": 2},
    ]
    assert pools.left_out == ()


def test_nodes_elsewhere_are_described_by_what_they_offer_to_pods() -> None:
    pools = found(elsewhere(lab_nodes()[B200]))
    [pool] = pools.node_pools
    assert pool == {
        "name": "b200",
        "node": {
            "accelerator": "B200",
            "gpus": 8,
            "cpu": 191,
            "memory": "1992Gi",
            "architecture": "amd64",
            "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
        },
        "nodes": 1,
    }
    assert pools.notes["b200"] == ("rdma: no InfiniBand or RoCE device is offered to pods",)
    node = elsewhere(lab_nodes()[B200])
    node["status"]["allocatable"]["rdma/ib"] = "8"
    assert found(node).notes["b200"] == (
        "rdma: {resource: rdma/ib, fabric: infiniband or roce}, which no label says",
    )


def test_nodes_of_ec2_with_a_taint_of_their_own_are_described() -> None:
    node = lab_nodes()[B200]
    node["spec"]["taints"].append({"key": "team", "value": "a", "effect": "NoSchedule"})
    [pool] = found(node).node_pools
    assert "instanceType" not in pool
    assert pool["node"]["taints"][-1] == {"key": "team", "value": "a", "effect": "NoSchedule"}


def test_the_smallest_node_of_a_pool_says_what_workers_can_have() -> None:
    small = elsewhere(lab_nodes()[B200], "small")
    small["status"]["allocatable"] |= {"cpu": "96", "memory": "1000Gi"}
    [pool] = found(elsewhere(lab_nodes()[B200]), small).node_pools
    assert (pool["node"]["cpu"], pool["node"]["memory"]) == (96, "1000Gi")
    assert pool["nodes"] == 2


def test_nodes_of_gke_without_feature_discovery_are_found_by_gke_s_label() -> None:
    labels = dict.fromkeys(("nvidia.com/gpu.product", "nvidia.com/gpu.present"))
    for value, model in (
        ("nvidia-b200", "B200"),
        ("nvidia-h100-80gb", "H100"),
        ("nvidia-h200-141gb", "H200"),
    ):
        [pool] = found(elsewhere(lab_nodes()[B200], **labels, **{GKE: value})).node_pools
        assert (pool["node"]["accelerator"], pool["node"]["labels"]) == (
            model,
            {GKE: value},
        )


def test_the_nvlink_domain_is_counted_by_clique() -> None:
    trays = [elsewhere(lab_nodes()[GB200], f"tray-{index}") for index in range(5)]
    for tray in trays[3:]:
        tray["metadata"]["labels"]["nvidia.com/gpu.clique"] = "another"
    pools = found(*trays)
    [pool] = pools.node_pools
    assert pool["node"]["nvlinkDomainGpus"] == 12
    assert (
        pools.notes["gb200"][0]
        == "nvlinkDomainGpus: of the largest of 2 NVLink domains, which have 3, 2 nodes"
    )
    alone = elsewhere(lab_nodes()[GB200], "alone", **{"nvidia.com/gpu.clique": None})
    pools = found(alone)
    [pool] = pools.node_pools
    assert pool["node"]["nvlinkDomainGpus"] == 4
    assert (
        "without the label nvidia.com/gpu.clique nothing is known to join these nodes"
        in pools.notes["gb200"][0]
    )
    # Trays of EC2 say so only where the domain is larger than the smallest that is sold.
    for number, domain in ((10, 72), (9, None)):
        [pool] = found(*(copy.deepcopy(lab_nodes()[GB200]) for _ in range(number))).node_pools
        assert pool.get("nvlinkDomainGpus") == domain


def test_equal_gpus_that_are_two_pools_are_told_apart_by_a_label_of_the_cloud() -> None:
    reserved = elsewhere(lab_nodes()[B200], "reserved", **{"cloud.google.com/gke-nodepool": "two"})
    reserved["spec"]["taints"].append({"key": "team", "value": "a", "effect": "NoExecute"})
    plain = elsewhere(lab_nodes()[B200], **{"cloud.google.com/gke-nodepool": "one"})
    one, two = found(plain, reserved).node_pools
    assert (one["name"], two["name"]) == ("b200", "b200-2")
    assert one["labels"] == {"cloud.google.com/gke-nodepool": "one"}
    assert two["labels"] == {"cloud.google.com/gke-nodepool": "two"}
    assert two["node"]["taints"][-1] == {"key": "team", "value": "a", "effect": "NoExecute"}
    for node in (plain, reserved):
        del node["metadata"]["labels"]["cloud.google.com/gke-nodepool"]
    said = found(plain, reserved).notes["b200"]
    assert "no label tells these nodes from another pool's: give both a label of their own" in said


def test_nodes_that_no_pool_can_be_made_of_are_named_with_the_reason() -> None:
    b200 = lab_nodes()[B200]
    away, cordoned, bare, broken = (elsewhere(b200, name) for name in ("away", "cordoned", "bare", "broken"))
    away["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    cordoned["spec"]["unschedulable"] = True
    del bare["status"]["allocatable"]["nvidia.com/gpu"]
    broken["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    shared = elsewhere(b200, "shared", **{"nvidia.com/gpu.product": "NVIDIA-B200-SHARED"})
    other = elsewhere(b200, "other", **{"nvidia.com/gpu.product": "NVIDIA-L40S"})
    silent = elsewhere(b200, "silent", **{"nvidia.com/gpu.product": None})
    odd = elsewhere(b200, "odd", **{"kubernetes.io/arch": "ppc64le"})
    pools = found(elsewhere(b200), away, cordoned, bare, broken, shared, other, silent, odd)
    assert [pool["nodes"] for pool in pools.node_pools] == [1]
    reasons = {each.nodes: each.reason for each in pools.left_out}
    said = {
        "away": "not ready",
        "cordoned": "cordoned",
        "bare": "no device plugin runs there",
        "broken": "node.gpus = 7: no machine has that many B200",
        "shared": "workers need whole ones",
        "other": "nvidia.com/gpu.product=NVIDIA-L40S is none of NVIDIA-B200, ",
        "silent": "neither nvidia.com/gpu.product (NVIDIA's feature discovery sets it)",
        "odd": "ppc64le",
    }
    assert reasons.keys() == {(name,) for name in said}
    for name, words in said.items():
        assert words in reasons[name,], name


def test_what_is_read_can_be_resolved_as_it_stands() -> None:
    b200 = lab_nodes()[B200]
    gke = elsewhere(b200, "gke", **{"nvidia.com/gpu.product": None, GKE: "nvidia-h200-141gb"})
    nodes = [elsewhere(b200), gke, elsewhere(lab_nodes()[GB200], "tray")]
    pools = [dict(pool) for pool in found(*nodes).node_pools]
    serving = {"recipe": "gpt-oss-120b/trtllm-agg", "pool": "gb200"}
    stack = resolved(existing_cluster_settings(serving, pools))
    assert [(placed.pool.name, placed.used_gpus) for placed in stack.pools] == [
        ("b200", 0),
        ("h200", 0),
        ("gb200", 4),
    ]
