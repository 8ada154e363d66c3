"""A node group for which nothing can be launched: EKS makes it, and says so afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.provider_service.errors import InitializationError
from tests.lab.aws_provider.account import make

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account


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
    data = {
        "InstanceType": "p6-b200.48xlarge",
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": block}},
    }
    inputs = {
        "clusterName": account.cluster,
        "nodeGroupName": name,
        "nodeRoleArn": account.network.role,
        "subnetIds": [account.network.subnets[0]],
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "CAPACITY_BLOCK",
        "launchTemplate": account.template(name, **data),
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
    }
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
