"""A node group for which nothing can be launched: EKS makes it, and says so afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.provider_service.errors import InitializationError, ProviderError
from tests.lab.aws_provider.account import make, update
from tests.lab.aws_provider.test_instances import instances

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account


def test_nodes_of_a_block_are_not_exchanged_while_they_take_all_of_it(account: Account) -> None:
    """EKS accepts the update, and it fails: the provider says so, and the nodes stay."""
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
    with pytest.raises(ProviderError) as caught:
        update(provider, made, launchTemplate=newer)
    assert "unexpected state 'Failed', wanted target 'Successful'" in str(caught.value)
    assert "NodeCreationFailure: Could not launch On-Demand Instances. ReservationCapacityExc" in str(
        caught.value
    )
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
        (
            "too-early",
            "cr-0123456789abcdef1",
            1,
            "InvalidCapacityReservationState.PendingActivation - The Capacity Block cr-0123456789abcdef1 is "
            "not active yet.",
        ),
        (
            "too-many",
            "cr-0123456789abcdef0",
            3,
            "ReservationCapacityExceeded - The requested 3 instances exceed the 2 of cr-0123456789abcdef0.",
        ),
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
    assert f"AsgInstanceLaunchFailures: Could not launch On-Demand Instances. {why}" in said
    eks, names = account.client("eks"), {"clusterName": account.cluster, "nodegroupName": name}
    group = eks.describe_nodegroup(**names)["nodegroup"]
    assert group["status"] == "CREATE_FAILED"
    scaling = account.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[group["resources"]["autoScalingGroups"][0]["name"]]
    )
    assert scaling["AutoScalingGroups"][0]["Instances"] == []
    eks.delete_nodegroup(**names)


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
