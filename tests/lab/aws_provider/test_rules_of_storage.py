"""What FSx, EFS and Auto Scaling refuse, and what cannot go while something is in it."""

import datetime as dt
from typing import Any

from tests.lab.aws_provider.account import Account
from tests.lab.aws_provider.refusals import Refusal, expect, refuse, table

_NETWORK, _DEPENDENCY = "InvalidNetworkSettings", "DependencyViolation"


def _lustre(
    account: Account, capacity: int = 1200, tier: int = 125, zone: str = "us-east-1a"
) -> dict[str, Any]:
    return {
        "FileSystemType": "LUSTRE",
        "StorageType": "SSD",
        "StorageCapacity": capacity,
        "SubnetIds": account.network.in_zones(zone),
        "SecurityGroupIds": [account.network.group],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": tier},
    }


def _of_lustre(rule: str, says: str, code: str = "BadRequest", **given: Any) -> Refusal:
    return Refusal(rule, "CreateFileSystem", lambda account: _lustre(account, **given), code, says, "fsx")


@table(
    _of_lustre("a size is 1200 or steps of 2400", "2000 GiB", capacity=2000),
    _of_lustre("PERSISTENT_2 has tiers of its own", "125, 250, 500, 1000", tier=200),
    _of_lustre("not in every zone", "not available in the zone us-east-1e", _NETWORK, zone="us-east-1e"),
)
def test_fsx_refuses(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_scheduled_sizes_are_in_order_and_in_the_future(account: Account) -> None:
    made = account.client("eks").create_nodegroup(**account.group_request("scheduled"))["nodegroup"]
    action = {
        "AutoScalingGroupName": made["resources"]["autoScalingGroups"][0]["name"],
        "ScheduledActionName": "open",
        "StartTime": dt.datetime(2099, 1, 1, tzinfo=dt.UTC),
        "MinSize": 0,
        "DesiredCapacity": 1,
        "MaxSize": 2,
    }
    past = {**action, "StartTime": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}
    for request, says in ((past, "is in the past"), ({**action, "MaxSize": 0}, "MinSize <= DesiredCapacity")):
        refuse(
            account, "PutScheduledUpdateGroupAction", request, "ValidationError", says, service="autoscaling"
        )
    account.client("autoscaling").put_scheduled_update_group_action(**action)


def _open(account: Account, group: str, port: int) -> None:
    """Lets members of a group reach each other."""
    rule = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "UserIdGroupPairs": [{"GroupId": group}]}
    account.client("ec2").authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])


def test_a_file_system_needs_an_open_port_and_holds_its_subnet_and_group(account: Account) -> None:
    ec2, fsx, efs = account.client("ec2"), account.client("fsx"), account.client("efs")
    vpc = ec2.create_vpc(CidrBlock="10.60.0.0/16")["Vpc"]["VpcId"]
    subnet = account.subnet(vpc, "10.60.0.0/24", "us-east-1a")
    group = ec2.create_security_group(GroupName="files", Description="files", VpcId=vpc)["GroupId"]
    request = _lustre(account) | {"SubnetIds": [subnet], "SecurityGroupIds": [group]}

    def held() -> None:
        refuse(account, "DeleteSubnet", {"SubnetId": subnet}, _DEPENDENCY, "has dependencies")
        refuse(account, "DeleteSecurityGroup", {"GroupId": group}, _DEPENDENCY, group)

    _open(account, group, 2049)
    says = "do not permit Lustre LNET network traffic on port 988"
    refuse(account, "CreateFileSystem", request, _NETWORK, says, "fsx")
    _open(account, group, 988)
    lustre = fsx.create_file_system(**request)["FileSystem"]
    assert lustre["LustreConfiguration"]["MountName"]
    held()
    fsx.delete_file_system(FileSystemId=lustre["FileSystemId"])

    files = efs.create_file_system(CreationToken="held")["FileSystemId"]
    target = efs.create_mount_target(FileSystemId=files, SubnetId=subnet, SecurityGroups=[group])
    held()
    efs.delete_mount_target(MountTargetId=target["MountTargetId"])
    ec2.delete_subnet(SubnetId=subnet)
    refuse(account, "DeleteVpc", {"VpcId": vpc}, _DEPENDENCY, "has dependencies")
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc(VpcId=vpc)


def test_a_subnet_stays_while_nodes_or_a_control_plane_are_in_it(account: Account) -> None:
    ec2, eks = account.client("ec2"), account.client("eks")
    vpc = ec2.create_vpc(CidrBlock="10.61.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        account.subnet(vpc, f"10.61.{number}.0/24", f"us-east-1{zone}") for number, zone in enumerate("abc")
    ]
    eks.create_cluster(**account.cluster_request("held", resourcesVpcConfig={"subnetIds": subnets[:2]}))
    eks.create_nodegroup(**account.group_request("nodes", clusterName="held", subnets=subnets[2:]))
    for subnet in subnets:
        refuse(account, "DeleteSubnet", {"SubnetId": subnet}, _DEPENDENCY, f"'{subnet}' has dependencies")
    eks.delete_nodegroup(clusterName="held", nodegroupName="nodes")
    eks.delete_cluster(name="held")
    for subnet in subnets:
        ec2.delete_subnet(SubnetId=subnet)


def test_a_control_planes_log_group_comes_back_for_its_last_lines(account: Account) -> None:
    logs, eks = account.client("logs"), account.client("eks")
    group = {"logGroupName": "/aws/eks/ended/cluster"}
    logs.create_log_group(**group)
    logs.put_retention_policy(**group, retentionInDays=7)
    logging = {"clusterLogging": [{"types": ["audit"], "enabled": True}]}
    eks.create_cluster(**account.cluster_request("ended", logging=logging))
    eks.delete_cluster(name="ended")

    def found() -> list[dict[str, Any]]:
        return logs.describe_log_groups(logGroupNamePrefix=group["logGroupName"])["logGroups"]

    logs.delete_log_group(**group)
    assert ["retentionInDays" in each for each in found()] == [False]
    logs.delete_log_group(**group)
    assert found() == []
