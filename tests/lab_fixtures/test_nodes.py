"""The node fixture against the published sizes, read by other means than the product's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

FIXTURES = Path(__file__).parents[2] / "lab" / "fixtures"


def _nodes(name: str) -> dict[str, dict[str, Any]]:
    found = yaml.safe_load_all((FIXTURES / name).read_text(encoding="utf-8"))
    return {node["metadata"]["name"]: node for node in found}


CLUSTER = _nodes("nodes.yaml")
NODES = CLUSTER | _nodes("other_nodes.yaml")
GIB = 1024**3


def labels(name: str) -> dict[str, str]:
    return NODES[name]["metadata"]["labels"]


def mebibytes(quantity: str) -> int:
    number, suffix = int(quantity.rstrip("KMi")), quantity.lstrip("0123456789")
    return {"Ki": number // 1024, "Mi": number}[suffix]


def reserved_millicores(cores: int) -> float:
    """amazon-eks-ami, nodeadm: 6% of core one, 1% of core two, 0.5% of two more, 0.25% of the rest."""
    return 60 + 10 + 5 * 2 + 2.5 * (cores - 4)


def test_the_cluster_has_one_b200_node_two_gb200_trays_and_three_system_nodes() -> None:
    assert sorted(CLUSTER) == ["p6-b200-0", "p6e-gb200-0", "p6e-gb200-1", "system-0", "system-1", "system-2"]


def test_three_members_can_spread_over_three_zones_on_system_nodes() -> None:
    zones = {labels(name)["topology.kubernetes.io/zone"] for name in NODES if name.startswith("system-")}
    assert zones == {"us-east-1a", "us-east-1b", "us-east-1c"}


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
def test_kwok_keeps_every_node_alive(node: dict[str, Any]) -> None:
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}


@pytest.mark.parametrize(
    ("name", "gpus", "efa", "expected"),
    [
        ("p6-b200-0", "8", "8", ("NVIDIA-B200", "183359", "amd64", "p6-b200.48xlarge")),
        ("p6e-gb200-0", "4", "4", ("NVIDIA-GB200", "189471", "arm64", "p6e-gb200.36xlarge")),
        ("p6e-gb200-1", "4", "4", ("NVIDIA-GB200", "189471", "arm64", "p6e-gb200.36xlarge")),
        ("p5en-0", "8", "16", ("NVIDIA-H200", "144384", "amd64", "p5en.48xlarge")),
        ("p5-0", "8", "32", ("NVIDIA-H100-80GB-HBM3", "81920", "amd64", "p5.48xlarge")),
    ],
)
def test_a_gpu_node_offers_and_names_its_gpus(
    name: str, gpus: str, efa: str, expected: tuple[str, str, str, str]
) -> None:
    allocatable = NODES[name]["status"]["allocatable"]
    assert allocatable["nvidia.com/gpu"] == labels(name)["nvidia.com/gpu.count"] == gpus
    assert allocatable["vpc.amazonaws.com/efa"] == efa
    keys = ("nvidia.com/gpu.product", "nvidia.com/gpu.memory", "kubernetes.io/arch")
    assert tuple(labels(name)[key] for key in (*keys, "node.kubernetes.io/instance-type")) == expected
    assert NODES[name]["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
    ]


def test_only_the_trays_share_an_nvlink_clique() -> None:
    cliques = {name: labels(name).get("nvidia.com/gpu.clique") for name in CLUSTER}
    assert cliques["p6e-gb200-0"] is not None
    assert cliques["p6e-gb200-0"] == cliques["p6e-gb200-1"]
    assert [name for name, clique in cliques.items() if clique is None] == [
        "p6-b200-0",
        "system-0",
        "system-1",
        "system-2",
    ]


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
def test_allocatable_is_capacity_less_what_nodeadm_reserves(node: dict[str, Any]) -> None:
    capacity, allocatable = node["status"]["capacity"], node["status"]["allocatable"]
    cores = int(capacity["cpu"])
    assert allocatable["cpu"] == f"{math.floor(cores * 1000 - reserved_millicores(cores))}m"
    reserved_memory = 11 * int(capacity["pods"]) + 255 + 100 + mebibytes(capacity.get("hugepages-2Mi", "0Mi"))
    assert mebibytes(capacity["memory"]) - mebibytes(allocatable["memory"]) == reserved_memory


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
def test_a_tenth_of_the_disk_and_one_gibibyte_are_kept_back(node: dict[str, Any]) -> None:
    written = node["status"]["capacity"]["ephemeral-storage"]
    capacity = int(written.removesuffix("Ki")) * (1024 if written.endswith("Ki") else 1)
    assert int(node["status"]["allocatable"]["ephemeral-storage"]) == pytest.approx(
        capacity * 0.9 - GIB, abs=200
    )


def test_the_cluster_has_no_default_storage_class() -> None:
    classes = list(yaml.safe_load_all((FIXTURES / "storage_classes.yaml").read_text(encoding="utf-8")))
    modes = {each["metadata"]["name"]: each["volumeBindingMode"] for each in classes}
    assert modes == {"shared-files": "Immediate", "gp3": "WaitForFirstConsumer"}
    assert all("annotations" not in each["metadata"] for each in classes)
