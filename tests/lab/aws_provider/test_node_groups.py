"""Instances of node groups: launched, ended and exchanged as asked for, or refused for now or ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.provider_service.errors import InitializationError, ProviderError
from lab.provider_service.values import plain_map, to_properties
from tests.lab.aws_provider.account import make, update
from tests.support.waiting import until

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account

_KIND = "aws:eks/nodeGroup:NodeGroup"
_FULL = "cr-0123456789abcdef0"
EARLY = "cr-0123456789abcdef6"
"""A block of two instances whose window opens in these tests."""
_CARDS = [
    {"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "interface"},
    *(
        {"DeviceIndex": int(card == 0), "NetworkCardIndex": card, "InterfaceType": "efa-only"}
        for card in range(8)
    ),
]


def instances(account: Account, group: str) -> list[dict[str, Any]]:
    """Those that run."""
    store = json.loads((account.folder / "store.json").read_text(encoding="utf-8"))
    tag = {"Key": "eks:nodegroup-name", "Value": group}
    found = store.get("ec2-instances", {}).values()
    return [item for item in found if tag in item["Tags"] and item["State"]["Name"] == "running"]


def _named(account: Account, name: str) -> dict[str, str]:
    return {"clusterName": account.cluster, "nodegroupName": name}


def _described(account: Account, name: str) -> dict[str, Any]:
    return account.client("eks").describe_nodegroup(**_named(account, name))["nodegroup"]


def _scaling_group(account: Account, name: str) -> dict[str, Any]:
    names = [each["name"] for each in _described(account, name)["resources"]["autoScalingGroups"]]
    found = account.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=names)
    return found["AutoScalingGroups"][0]


def test_an_update_of_the_version_exchanges_every_instance(account: Account) -> None:
    account.client("eks").create_nodegroup(**account.group_request("renewed", 2))
    before = {item["InstanceId"] for item in instances(account, "renewed")}
    account.client("eks").update_nodegroup_version(**_named(account, "renewed"))
    after = {item["InstanceId"] for item in instances(account, "renewed")}
    assert (len(after), before & after) == (2, set())


def test_an_instance_that_ends_by_itself_is_replaced_under_its_number_unless_launches_are_suspended(
    account: Account,
) -> None:
    account.client("eks").create_nodegroup(**account.group_request("failing", 2))
    first, second = instances(account, "failing")
    ec2, scaling = account.client("ec2"), account.client("autoscaling")
    ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    new = next(item for item in instances(account, "failing") if item != second)
    assert (new["AmiLaunchIndex"], second["AmiLaunchIndex"]) == (0, 1)
    assert new["InstanceId"] != first["InstanceId"]

    name = _scaling_group(account, "failing")["AutoScalingGroupName"]
    scaling.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    ec2.terminate_instances(InstanceIds=[new["InstanceId"]])
    assert instances(account, "failing") == [second]
    scaling.resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    assert len(instances(account, "failing")) == 2


def test_nodes_of_a_block_are_not_exchanged_while_they_take_all_of_it(account: Account) -> None:
    inputs, provider = _inputs(account, "full", _FULL, 2), account.provider()
    made = make(provider, _KIND, "full", **inputs)
    before = instances(account, "full")
    assert [item["InterfaceType"] for item in before[0]["NetworkInterfaces"]] == [
        "interface",
        *["efa-only"] * 8,
    ]
    assert (before[0]["InstanceType"], before[0]["CapacityReservationId"]) == ("p6-b200.48xlarge", _FULL)
    template = inputs["launchTemplate"]
    account.client("ec2").create_launch_template_version(
        LaunchTemplateId=template["id"], LaunchTemplateData=_data(_FULL) | {"UserData": "b2xk"}
    )
    newer = {**template, "version": "2"}
    with pytest.raises(ProviderError, match="ReservationCapacityExceeded - The 2 instances of cr-0"):
        update(provider, made, launchTemplate=newer)
    assert instances(account, "full") == before
    # With desired size 0 there is nothing to exchange.
    emptied = update(provider, made, scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 0})
    update(provider, emptied, launchTemplate=newer)
    assert _described(account, "full")["launchTemplate"]["version"] == "2"
    account.client("eks").delete_nodegroup(**_named(account, "full"))


@pytest.mark.parametrize(
    ("name", "block", "size", "why"),
    [
        ("too-many", _FULL, 3, "The requested 3 instances exceed the 2 of "),
        ("too-late", "cr-0123456789abcdef7", 1, "The capacity reservation cr-0123456789abcdef7 is expired"),
    ],
)
def test_a_group_for_which_nothing_can_be_launched_is_made_and_fails(
    account: Account, name: str, block: str, size: int, why: str
) -> None:
    with pytest.raises(InitializationError) as caught:
        make(account.provider(), _KIND, name, **_inputs(account, name, block, size))
    assert caught.value.resource_id == f"shared:{name}"
    said = caught.value.reasons[0]
    assert said.startswith(
        f"waiting for EKS Node Group (shared:{name}) create: unexpected state 'CREATE_FAILED', wanted target "
        f"'ACTIVE'. last error: eks-{name}-"
    )
    assert "AsgInstanceLaunchFailures: Could not launch On-Demand Instances." in said
    assert f"ReservationCapacityExceeded - {why}" in said
    assert _described(account, name)["status"] == "CREATE_FAILED"
    assert _scaling_group(account, name)["Instances"] == []
    account.client("eks").delete_nodegroup(**_named(account, name))


def test_a_group_made_before_its_window_is_active_and_launches_when_it_opens(account: Account) -> None:
    provider = account.provider()
    made = make(provider, _KIND, "early", **_inputs(account, "early", EARLY, 1))
    asked = to_properties({"clusterName": account.cluster, "nodeGroupName": "early"})
    found = plain_map(provider.invoke("aws:eks/getNodeGroup:getNodeGroup", asked))
    assert found["scalingConfigs"] == [plain_map(made.inputs)["scalingConfig"]]
    # A larger size brings no instance either.
    update(provider, made, scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 2})
    group = _described(account, "early")
    assert (group["status"], group["scalingConfig"]["desiredSize"]) == ("ACTIVE", 2)
    [issue] = group["health"]["issues"]
    assert issue["code"] == "AsgInstanceLaunchFailures"
    assert f"PendingActivation - The Capacity Block {EARLY} is not active yet." in issue["message"]
    assert instances(account, "early") == []

    _set_state(account, "active")
    until(lambda: len(instances(account, "early")) == 2, "the launches succeed when the window opens", 10)
    assert _described(account, "early")["health"]["issues"] == []
    account.client("eks").delete_nodegroup(**_named(account, "early"))


def _set_state(account: Account, state: str) -> None:
    """What time does to the block that opens in these tests."""
    file = account.folder / "capacity-reservations.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    next(item for item in found if item["CapacityReservationId"] == EARLY)["State"] = state
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(file)


def _data(block: str) -> dict[str, Any]:
    return {
        "InstanceType": "p6-b200.48xlarge",
        "NetworkInterfaces": _CARDS,
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": block}},
    }


def _inputs(account: Account, name: str, block: str, size: int) -> dict[str, Any]:
    """A group of so many nodes of a block, as a program gives it."""
    return {
        "clusterName": account.cluster,
        "nodeGroupName": name,
        "nodeRoleArn": account.network.role,
        "subnetIds": account.network.in_zones("us-east-1a"),
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "CAPACITY_BLOCK",
        "launchTemplate": account.template(name, **_data(block)),
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
    }
