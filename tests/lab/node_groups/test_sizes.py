"""The room that EKS's image leaves to pods, of types that a formula describes and of those of the fixture."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.node_groups.sizes import UnknownTypeError, plain_node

FIXTURES = Path(__file__).parents[3] / "lab" / "fixtures"
NODES: dict[str, dict[str, Any]] = {
    node["metadata"]["name"]: node
    for name in ("nodes.yaml", "other_nodes.yaml")
    for node in yaml.safe_load_all((FIXTURES / name).read_text(encoding="utf-8"))
}
GIB = 1024**3


def mebibytes(quantity: str) -> int:
    number, suffix = int(quantity.rstrip("KMi")), quantity.lstrip("0123456789")
    return {"Ki": number // 1024, "Mi": number}[suffix]


def reserved_millicores(cores: int) -> float:
    """amazon-eks-ami, nodeadm: 6% of core one, 1% of core two, 0.5% of two more, 0.25% of the rest."""
    return 60 + 10 + 5 * 2 + 2.5 * (cores - 4)


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
def test_allocatable_is_capacity_less_what_nodeadm_reserves(node: dict[str, Any]) -> None:
    capacity, allocatable = node["status"]["capacity"], node["status"]["allocatable"]
    cores = int(capacity["cpu"])
    assert allocatable["cpu"] == f"{math.floor(cores * 1000 - reserved_millicores(cores))}m"
    reserved_memory = 11 * int(capacity["pods"]) + 255 + 100 + mebibytes(capacity.get("hugepages-2Mi", "0Mi"))
    assert mebibytes(capacity["memory"]) - mebibytes(allocatable["memory"]) == reserved_memory
    # A tenth of the disk and one GiB are kept back.
    written = capacity["ephemeral-storage"]
    disk = int(written.removesuffix("Ki")) * (1024 if written.endswith("Ki") else 1)
    assert int(allocatable["ephemeral-storage"]) == pytest.approx(disk * 0.9 - GIB, abs=200)


@pytest.mark.parametrize(
    ("kind", "cores", "millicores", "pods", "memory"),
    [
        # Of cores 1 to 4 the image keeps 60, 10, 5 and 5 thousandths, of every other one 2.5. 191450m of 192
        # were seen on a p5.48xlarge (awslabs/awsome-distributed-ai at 95b939cd). Of memory, 255 for the
        # kubelet, 11 for each pod, and 100 below which pods are evicted.
        ("c7g.medium", 1, 60, "8", 443),
        ("m7g.large", 2, 70, "29", 674),
        ("m7g.2xlarge", 8, 90, "58", 993),
        ("m7i.48xlarge", 192, 550, "737", 8462),
    ],
)
def test_the_image_keeps_less_of_each_further_core_and_memory_for_each_pod(
    kind: str, cores: int, millicores: int, pods: str, memory: int
) -> None:
    status = plain_node(kind)["status"]
    capacity, allocatable = status["capacity"], status["allocatable"]
    assert (capacity["cpu"], allocatable["cpu"]) == (str(cores), f"{cores * 1000 - millicores}m")
    assert mebibytes(capacity["memory"]) - mebibytes(allocatable["memory"]) == memory
    assert allocatable["pods"] == pods


@pytest.mark.parametrize(("kind", "why"), [("p5e.48xlarge", "has GPUs"), ("m99.large", "no instance type")])
def test_a_type_that_nothing_describes_is_refused(kind: str, why: str) -> None:
    with pytest.raises(UnknownTypeError, match=why):
        plain_node(kind)
