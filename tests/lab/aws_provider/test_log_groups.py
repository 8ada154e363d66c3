"""What CloudWatch keeps of a control plane that logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account


def test_a_control_planes_log_group_comes_back_for_its_last_lines(account: Account) -> None:
    logs, eks = account.client("logs"), account.client("eks")
    group = {"logGroupName": "/aws/eks/ended/cluster"}
    logs.create_log_group(**group)
    logs.put_retention_policy(**group, retentionInDays=7)
    eks.create_cluster(
        name="ended",
        roleArn=account.network.role,
        resourcesVpcConfig={"subnetIds": list(account.network.subnets)},
        accessConfig={"authenticationMode": "API"},
        logging={"clusterLogging": [{"types": ["audit"], "enabled": True}]},
        version="1.35",
    )
    eks.delete_cluster(name="ended")

    def found() -> list[dict[str, Any]]:
        return logs.describe_log_groups(logGroupNamePrefix=group["logGroupName"])["logGroups"]

    logs.delete_log_group(**group)
    assert ["retentionInDays" in each for each in found()] == [False]
    logs.delete_log_group(**group)
    assert found() == []
