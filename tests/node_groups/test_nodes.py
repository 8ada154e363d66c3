"""What nodes the documents of an account stand for."""

from __future__ import annotations

from typing import Any

import pytest

from lab.node_groups.nodes import lost_machines, nodes_of
from lab.node_groups.sizes import UnknownTypeError
from tests.node_groups.eks_reservation import eks_reserved_cpus, eks_reserved_gib

REGION = "us-east-1"


def group(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "nodegroupName": name,
        "nodegroupArn": f"arn:aws:eks:us-east-1:123456789012:nodegroup/c/{name}/1",
        "capacityType": "ON_DEMAND",
        "labels": {},
        "taints": [],
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}"}]},
    } | fields


def instance(kind: str, number: int, efa: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "InstanceId": f"i-{number:017x}",
        "InstanceType": kind,
        "State": {"Name": "running"},
        "AmiLaunchIndex": number - 1,
        "Placement": {"AvailabilityZone": "us-east-1b", "AvailabilityZoneId": "use1-az6"},
        "NetworkInterfaces": [{"InterfaceType": "interface"}, *[{"InterfaceType": "efa-only"}] * efa],
    } | fields


def nodes(group: dict[str, Any], *instances: dict[str, Any]) -> list[dict[str, Any]]:
    scaling_group = group["resources"]["autoScalingGroups"][0]["name"]
    keyed = {f"{REGION}/{scaling_group}/{item['InstanceId']}": item for item in instances}
    name = f"{REGION}/c/{group['nodegroupName']}"
    return nodes_of({"eks-node-groups": {name: group}, "ec2-instances": keyed})


def test_an_instance_of_gpus_is_a_node_with_them_and_with_the_efa_that_its_launch_gave_it() -> None:
    (full,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1, efa=8))
    assert full["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-B200"
    assert full["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    assert full["status"]["allocatable"]["vpc.amazonaws.com/efa"] == "8"
    (poor,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1, efa=3))
    assert poor["status"]["allocatable"]["vpc.amazonaws.com/efa"] == "3"
    (none,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1))
    assert "vpc.amazonaws.com/efa" not in none["status"]["allocatable"]


def test_a_node_bears_the_labels_and_taints_of_its_group_and_no_others() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    of_team = group("gpu", labels={"team": "a"}, taints=[taint], capacityType="CAPACITY_BLOCK")
    (node,) = nodes(of_team, instance("p6-b200.48xlarge", 1))
    labels = node["metadata"]["labels"]
    assert (labels["team"], labels["eks.amazonaws.com/nodegroup"]) == ("a", "gpu")
    assert labels["eks.amazonaws.com/capacityType"] == "CAPACITY_BLOCK"
    assert (labels["topology.kubernetes.io/zone"], labels["topology.k8s.aws/zone-id"]) == (
        "us-east-1b",
        "use1-az6",
    )
    assert node["spec"]["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    (untainted,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1))
    assert untainted["spec"]["taints"] == []


def test_trays_of_one_reservation_are_one_nvlink_domain_and_others_are_another() -> None:
    trays = [instance("p6e-gb200.36xlarge", number, CapacityReservationId="cr-1") for number in (1, 2)]
    other = instance("p6e-gb200.36xlarge", 3, CapacityReservationId="cr-2")
    first, second, third = (
        node["metadata"]["labels"]["nvidia.com/gpu.clique"] for node in nodes(group("gpu"), *trays, other)
    )
    assert first == second != third


def test_an_eight_gpu_node_has_no_clique() -> None:
    (node,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1, CapacityReservationId="cr-1"))
    assert "nvidia.com/gpu.clique" not in node["metadata"]["labels"]


def test_a_node_without_gpus_has_the_room_that_the_image_leaves_of_its_type() -> None:
    (node,) = nodes(group("system"), instance("m7g.2xlarge", 1))
    assert node["metadata"]["labels"]["kubernetes.io/arch"] == "arm64"
    # 8 cores less 60 + 10 + 5 + 5 + 4 * 2.5 thousandths; 4 interfaces of 15 addresses, one each its own.
    assert node["status"]["allocatable"]["cpu"] == "7910m"
    assert node["status"]["allocatable"]["pods"] == "58"
    assert "nvidia.com/gpu" not in node["status"]["allocatable"]


@pytest.mark.parametrize(
    "kind",
    ["p6-b200.48xlarge", "p6e-gb200.36xlarge", "m7i.4xlarge", "m7g.large", "m7g.2xlarge", "c7g.medium"],
)
def test_the_product_reckons_with_the_cpus_that_the_image_reserves(kind: str) -> None:
    # Neither reads the other's formula: a mistake of the product must not be one of the lab as well.
    (node,) = nodes(group("any"), instance(kind, 1))
    whole, left = (node["status"][part]["cpu"] for part in ("capacity", "allocatable"))
    assert int(whole) * 1000 - int(left.removesuffix("m")) == round(eks_reserved_cpus(int(whole)) * 1000)


@pytest.mark.parametrize("kind", ["m7g.large", "m7g.2xlarge", "m7i.48xlarge"])
def test_the_product_reckons_with_the_memory_that_the_image_reserves(kind: str) -> None:
    (node,) = nodes(group("any"), instance(kind, 1))
    status = node["status"]
    whole, left = (int(status[part]["memory"].removesuffix("Mi")) for part in ("capacity", "allocatable"))
    assert whole - left == eks_reserved_gib(int(status["capacity"]["pods"])) * 1024


def test_nodes_of_a_group_are_numbered_and_their_instances_tell_them_apart() -> None:
    first, second = nodes(group("system"), instance("m7g.2xlarge", 1), instance("m7g.2xlarge", 2))
    assert [first["metadata"]["name"], second["metadata"]["name"]] == ["system-0", "system-1"]
    assert first["spec"]["providerID"] == "aws:///us-east-1b/i-00000000000000001"
    assert first["spec"]["providerID"] != second["spec"]["providerID"]


def test_a_lost_instance_is_no_node_and_the_others_keep_their_names() -> None:
    lost = instance("m7g.2xlarge", 1, State={"Name": "terminated"})
    (left,) = nodes(group("system"), lost, instance("m7g.2xlarge", 2))
    assert left["metadata"]["name"] == "system-1"
    store = {"ec2-instances": {"us-east-1/eks-system/i-1": lost}}
    assert lost_machines(store) == {"aws:///us-east-1b/i-00000000000000001"}


def test_an_instance_whose_group_is_gone_is_no_node() -> None:
    assert nodes_of({"ec2-instances": {"us-east-1/eks-gone/i-1": instance("m7g.2xlarge", 1)}}) == []


@pytest.mark.parametrize(("kind", "why"), [("p5e.48xlarge", "has GPUs"), ("m99.large", "no instance type")])
def test_a_type_that_nothing_describes_is_refused(kind: str, why: str) -> None:
    with pytest.raises(UnknownTypeError, match=why):
        nodes(group("gpu"), instance(kind, 1))
