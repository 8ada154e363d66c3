"""What nodes the documents of an account stand for."""

from __future__ import annotations

from typing import Any

import pytest

from lab.node_groups.nodes import lost_machines, nodes_of
from lab.node_groups.sizes import UnknownTypeError

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


@pytest.mark.parametrize(("given", "offered"), [(8, "8"), (3, "3"), (0, None)])
def test_an_instance_of_gpus_is_a_node_with_them_and_with_the_efa_that_its_launch_gave_it(
    given: int, offered: str | None
) -> None:
    (node,) = nodes(group("gpu"), instance("p6-b200.48xlarge", 1, efa=given))
    assert node["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-B200"
    allocatable = node["status"]["allocatable"]
    assert (allocatable["nvidia.com/gpu"], allocatable.get("vpc.amazonaws.com/efa")) == ("8", offered)


def test_a_node_bears_the_labels_and_taints_of_its_group_and_no_others() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    of_team = group("gpu", labels={"team": "a"}, taints=[taint], capacityType="CAPACITY_BLOCK")
    (node,) = nodes(of_team, instance("p6-b200.48xlarge", 1))
    assert node["metadata"]["labels"].items() >= {
        ("team", "a"),
        ("eks.amazonaws.com/nodegroup", "gpu"),
        ("eks.amazonaws.com/capacityType", "CAPACITY_BLOCK"),
        ("topology.kubernetes.io/zone", "us-east-1b"),
        ("topology.k8s.aws/zone-id", "use1-az6"),
    }
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
    # 4 interfaces of 15 addresses, one each its own.
    assert node["status"]["allocatable"]["pods"] == "58"
    assert "nvidia.com/gpu" not in node["status"]["allocatable"]


@pytest.mark.parametrize(
    ("kind", "cores", "millicores"),
    [
        # Of cores 1 to 4 the image keeps 60, 10, 5 and 5 thousandths, of every other one 2.5. 191450m of 192
        # were seen on a p5.48xlarge (awslabs/awsome-distributed-ai at 95b939cd).
        ("c7g.medium", 1, 60),
        ("m7g.large", 2, 70),
        ("m7g.2xlarge", 8, 90),
        ("m7i.4xlarge", 16, 110),
        ("p6e-gb200.36xlarge", 144, 430),
        ("p6-b200.48xlarge", 192, 550),
    ],
)
def test_the_image_keeps_a_share_of_the_cpus_that_falls_with_each_core(
    kind: str, cores: int, millicores: int
) -> None:
    (node,) = nodes(group("any"), instance(kind, 1))
    assert node["status"]["capacity"]["cpu"] == str(cores)
    assert node["status"]["allocatable"]["cpu"] == f"{cores * 1000 - millicores}m"


@pytest.mark.parametrize(
    ("kind", "mebibytes"),
    [
        # 255 for the kubelet, 11 for each of 29, 58 and 737 pods, and 100 below which pods are evicted.
        ("m7g.large", 674),
        ("m7g.2xlarge", 993),
        ("m7i.48xlarge", 8462),
    ],
)
def test_the_image_keeps_memory_for_the_kubelet_for_each_pod_and_before_the_kernel_runs_out(
    kind: str, mebibytes: int
) -> None:
    (node,) = nodes(group("any"), instance(kind, 1))
    whole, left = (
        int(node["status"][part]["memory"].removesuffix("Mi")) for part in ("capacity", "allocatable")
    )
    assert whole - left == mebibytes


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
