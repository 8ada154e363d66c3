"""The instances of node groups: as many as asked for, of the template's type, gone with the group."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account

_EFA = [
    {"DeviceIndex": int(card == 0), "NetworkCardIndex": card, "InterfaceType": "efa-only"}
    for card in range(8)
]
_CARDS = [{"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "interface"}, *_EFA]


def instances(account: Account, group: str) -> list[dict[str, Any]]:
    store = json.loads((account.folder / "store.json").read_text(encoding="utf-8"))
    tag = {"Key": "eks:nodegroup-name", "Value": group}
    return [item for item in store.get("ec2-instances", {}).values() if tag in item["Tags"]]


def make_group(account: Account, name: str, size: int, **fields: Any) -> dict[str, Any]:
    request = {
        "clusterName": account.cluster,
        "nodegroupName": name,
        "nodeRole": account.network.role,
        "subnets": list(account.network.subnets),
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
    }
    return account.client("eks").create_nodegroup(**request | fields)["nodegroup"]


def resize(account: Account, name: str, size: int) -> None:
    account.client("eks").update_nodegroup_config(
        clusterName=account.cluster, nodegroupName=name, scalingConfig={"desiredSize": size}
    )


def test_instances_come_and_go_with_the_size_of_their_group(account: Account) -> None:
    made = make_group(account, "sized", 2, instanceTypes=["m7i.2xlarge"])
    two = instances(account, "sized")
    assert [item["Placement"]["AvailabilityZone"] for item in two] == ["us-east-1a", "us-east-1b"]
    names = [made["resources"]["autoScalingGroups"][0]["name"]]
    (scaling,) = account.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=names)[
        "AutoScalingGroups"
    ]
    assert [item["InstanceId"] for item in scaling["Instances"]] == [item["InstanceId"] for item in two]
    resize(account, "sized", 1)
    assert instances(account, "sized") == two[:1]
    resize(account, "sized", 3)
    assert instances(account, "sized")[0] == two[0]
    assert len(instances(account, "sized")) == 3
    account.client("eks").delete_nodegroup(clusterName=account.cluster, nodegroupName="sized")
    assert instances(account, "sized") == []


def test_an_instance_has_the_type_and_the_interfaces_of_its_template(account: Account) -> None:
    data = {
        "InstanceType": "p6-b200.48xlarge",
        "NetworkInterfaces": _CARDS,
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {
            "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
        },
    }
    template = account.template("of-instances", **data)
    make_group(
        account,
        "templated",
        1,
        subnets=[account.network.subnets[0]],
        capacityType="CAPACITY_BLOCK",
        amiType="AL2023_x86_64_NVIDIA",
        launchTemplate=template,
    )
    (made,) = instances(account, "templated")
    assert made["InstanceType"] == "p6-b200.48xlarge"
    assert made["CapacityReservationId"] == "cr-0123456789abcdef0"
    assert [item["InterfaceType"] for item in made["NetworkInterfaces"]] == ["interface", *["efa-only"] * 8]


def test_a_group_that_waits_for_its_capacity_block_has_no_instance(account: Account) -> None:
    make_group(account, "empty", 0, instanceTypes=["m7i.2xlarge"])
    assert instances(account, "empty") == []


def test_an_update_of_the_version_exchanges_every_instance(account: Account) -> None:
    make_group(account, "renewed", 2, instanceTypes=["m7i.2xlarge"])
    before = {item["InstanceId"] for item in instances(account, "renewed")}
    account.client("eks").update_nodegroup_version(clusterName=account.cluster, nodegroupName="renewed")
    after = {item["InstanceId"] for item in instances(account, "renewed")}
    assert len(after) == 2
    assert not before & after


def running(account: Account, group: str) -> list[dict[str, Any]]:
    return [item for item in instances(account, group) if item["State"]["Name"] == "running"]


def test_an_instance_that_ends_by_itself_is_replaced_under_its_number_unless_launches_are_suspended(
    account: Account,
) -> None:
    made = make_group(account, "failing", 2, instanceTypes=["m7i.2xlarge"])
    name = made["resources"]["autoScalingGroups"][0]["name"]
    first, second = running(account, "failing")
    ec2, scaling = account.client("ec2"), account.client("autoscaling")
    ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    new = next(item for item in running(account, "failing") if item != second)
    assert (new["AmiLaunchIndex"], second["AmiLaunchIndex"]) == (0, 1)
    assert new["InstanceId"] != first["InstanceId"]

    scaling.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    ec2.terminate_instances(InstanceIds=[new["InstanceId"]])
    assert running(account, "failing") == [second]
    (described,) = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    assert [item["ProcessName"] for item in described["SuspendedProcesses"]] == ["Launch"]
    assert [item["InstanceId"] for item in described["Instances"]] == [second["InstanceId"]]
    scaling.resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    assert len(running(account, "failing")) == 2


def test_an_instance_that_nobody_knows_cannot_be_terminated(account: Account) -> None:
    with pytest.raises(ClientError, match="InvalidInstanceID"):
        account.client("ec2").terminate_instances(InstanceIds=["i-00000000000000000"])
