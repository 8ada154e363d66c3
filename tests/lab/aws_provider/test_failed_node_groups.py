"""A node group for which nothing can be launched, for now or ever: EKS makes it, and says so afterwards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.provider_service.errors import InitializationError, ProviderError
from lab.provider_service.values import plain_map, to_properties
from tests.lab.aws_provider.account import make, update
from tests.lab.aws_provider.test_instances import instances
from tests.support.waiting import until

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account

EARLY = "cr-0123456789abcdef6"
"""A block of two instances whose window opens in these tests."""


def test_nodes_of_a_block_are_not_exchanged_while_they_take_all_of_it(account: Account) -> None:
    template = account.template("full", **_data("cr-0123456789abcdef0"))
    inputs = _inputs(account, "full", template, 2) | {"updateConfig": {"updateStrategy": "MINIMAL"}}
    kind, provider = "aws:eks/nodeGroup:NodeGroup", account.provider()
    made = make(provider, kind, "full", **inputs)
    before = [item["InstanceId"] for item in instances(account, "full")]
    account.client("ec2").create_launch_template_version(
        LaunchTemplateId=template["id"],
        LaunchTemplateData=_data("cr-0123456789abcdef0") | {"UserData": "b2xk"},
    )
    newer = {**template, "version": "2"}
    with pytest.raises(ProviderError, match="ReservationCapacityExceeded - The 2 instances of cr-0"):
        update(provider, made, launchTemplate=newer)
    assert [item["InstanceId"] for item in instances(account, "full")] == before
    # With desired size 0 there is nothing to exchange.
    none = {"minSize": 0, "maxSize": 3, "desiredSize": 0}
    emptied = update(provider, made, scalingConfig=none)
    update(provider, emptied, launchTemplate=newer)
    eks, names = account.client("eks"), {"clusterName": account.cluster, "nodegroupName": "full"}
    assert eks.describe_nodegroup(**names)["nodegroup"]["launchTemplate"]["version"] == "2"
    eks.delete_nodegroup(**names)


@pytest.mark.parametrize(
    ("name", "block", "size", "why"),
    [
        ("too-many", "cr-0123456789abcdef0", 3, "The requested 3 instances exceed the 2 of "),
        ("too-late", "cr-0123456789abcdef7", 1, "The capacity reservation cr-0123456789abcdef7 is expired"),
    ],
)
def test_a_group_for_which_nothing_can_be_launched_is_made_and_fails(
    account: Account, name: str, block: str, size: int, why: str
) -> None:
    inputs = _inputs(account, name, account.template(name, **_data(block)), size)
    with pytest.raises(InitializationError) as caught:
        make(account.provider(), "aws:eks/nodeGroup:NodeGroup", name, **inputs)
    assert caught.value.resource_id == f"shared:{name}"
    said = caught.value.reasons[0]
    assert said.startswith(
        f"waiting for EKS Node Group (shared:{name}) create: unexpected state 'CREATE_FAILED', wanted target "
        f"'ACTIVE'. last error: eks-{name}-"
    )
    assert "AsgInstanceLaunchFailures: Could not launch On-Demand Instances." in said
    assert f"ReservationCapacityExceeded - {why}" in said
    eks, names = account.client("eks"), {"clusterName": account.cluster, "nodegroupName": name}
    group = eks.describe_nodegroup(**names)["nodegroup"]
    assert group["status"] == "CREATE_FAILED"
    scaling = account.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[group["resources"]["autoScalingGroups"][0]["name"]]
    )
    assert scaling["AutoScalingGroups"][0]["Instances"] == []
    eks.delete_nodegroup(**names)


def test_a_group_made_before_its_window_is_active_and_launches_when_it_opens(account: Account) -> None:
    inputs = _inputs(account, "early", account.template("early", **_data(EARLY)), 1)
    provider = account.provider()
    made = make(provider, "aws:eks/nodeGroup:NodeGroup", "early", **inputs)
    asked = to_properties({"clusterName": account.cluster, "nodeGroupName": "early"})
    found = plain_map(provider.invoke("aws:eks/getNodeGroup:getNodeGroup", asked))
    assert found["scalingConfigs"] == [plain_map(made.inputs)["scalingConfig"]]
    eks, names = account.client("eks"), {"clusterName": account.cluster, "nodegroupName": "early"}
    # Labels and a larger size bring no instance either.
    update(provider, made, labels={"a": "b"}, scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 2})
    group = eks.describe_nodegroup(**names)["nodegroup"]
    assert (group["status"], group["scalingConfig"]["desiredSize"]) == ("ACTIVE", 2)
    [issue] = group["health"]["issues"]
    assert issue["code"] == "AsgInstanceLaunchFailures"
    assert f"PendingActivation - The Capacity Block {EARLY} is not active yet." in issue["message"]
    assert instances(account, "early") == []

    _set_state(account, EARLY, "active")
    until(lambda: len(instances(account, "early")) == 2, "the launches succeed when the window opens", 10)
    assert eks.describe_nodegroup(**names)["nodegroup"]["health"]["issues"] == []
    eks.delete_nodegroup(**names)


def test_a_block_that_opens_too_small_launches_nothing_and_says_so(account: Account) -> None:
    _set_state(account, EARLY, "scheduled")
    inputs = _inputs(account, "greedy", account.template("greedy", **_data(EARLY)), 3)
    make(account.provider(), "aws:eks/nodeGroup:NodeGroup", "greedy", **inputs)
    eks, names = account.client("eks"), {"clusterName": account.cluster, "nodegroupName": "greedy"}
    _set_state(account, EARLY, "active")

    def said() -> str:
        [issue] = eks.describe_nodegroup(**names)["nodegroup"]["health"]["issues"]
        return issue["message"]

    until(lambda: "The requested 3 instances exceed the 2 of" in said(), "the group learns it", 10)
    assert instances(account, "greedy") == []
    eks.delete_nodegroup(**names)


def _set_state(account: Account, block: str, state: str) -> None:
    """What time does to a block."""
    file = account.folder / "capacity-reservations.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    next(item for item in found if item["CapacityReservationId"] == block)["State"] = state
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(file)


def _data(block: str) -> dict[str, Any]:
    return {
        "InstanceType": "p6-b200.48xlarge",
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": block}},
    }


def _inputs(account: Account, name: str, template: dict[str, str], size: int) -> dict[str, Any]:
    return {
        "clusterName": account.cluster,
        "nodeGroupName": name,
        "nodeRoleArn": account.network.role,
        "subnetIds": [account.network.subnets[0]],
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "CAPACITY_BLOCK",
        "launchTemplate": template,
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
    }
