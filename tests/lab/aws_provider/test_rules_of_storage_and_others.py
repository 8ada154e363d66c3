"""What FSx, EFS, Auto Scaling and IAM refuse: a refused request for each rule."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from tests.lab.aws_provider.account import trust
from tests.lab.aws_provider.refusals import Refusal, expect, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lab.aws_provider.account import Account

_BAD = "BadRequest"


def _lustre(
    capacity: int, tier: int = 125, kind: str = "PERSISTENT_2", **more: Any
) -> Callable[[Account], Any]:
    def request(account: Account) -> dict[str, Any]:
        subnets = more.get("SubnetIds", lambda account: [account.network.subnets[0]])
        return {
            "FileSystemType": "LUSTRE",
            "StorageCapacity": capacity,
            "SubnetIds": subnets(account),
            "LustreConfiguration": {"DeploymentType": kind, "PerUnitStorageThroughput": tier},
        }

    return request


def _of_lustre(rule: str, says: str, request: Callable[[Account], Any], code: str = _BAD) -> Refusal:
    return Refusal(rule, "CreateFileSystem", request, code, says, service="fsx")


@table(
    _of_lustre("a size is 1200 or steps of 2400", "2000 GiB", _lustre(2000)),
    _of_lustre("PERSISTENT_2 has tiers of its own", "125, 250, 500, 1000", _lustre(1200, 200)),
    _of_lustre("nothing else is simulated", "but Lustre PERSISTENT_2", _lustre(1200, kind="PERSISTENT_1")),
    _of_lustre(
        "one subnet",
        "exactly one subnet",
        _lustre(1200, SubnetIds=lambda account: list(account.network.subnets)),
        "InvalidNetworkSettings",
    ),
    _of_lustre(
        "not in every zone",
        "not available in the zone us-east-1e",
        _lustre(1200, SubnetIds=lambda account: [account.subnet("us-east-1e")]),
        "InvalidNetworkSettings",
    ),
    _of_lustre(
        "not in a Local Zone",
        "not available in the zone us-east-1-dfw-2a",
        _lustre(1200, SubnetIds=lambda account: [account.network.local]),
        "InvalidNetworkSettings",
    ),
    Refusal(
        "a scheduled action has a group",
        "PutScheduledUpdateGroupAction",
        lambda _: {
            "AutoScalingGroupName": "nowhere",
            "ScheduledActionName": "open",
            "StartTime": dt.datetime(2099, 1, 1, tzinfo=dt.UTC),
            "MinSize": 0,
        },
        "ValidationError",
        "not found - nowhere",
        service="autoscaling",
    ),
    Refusal(
        "an attached policy exists",
        "AttachRolePolicy",
        lambda account: {
            "RoleName": account.network.role.rpartition("/")[2],
            "PolicyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolice",
        },
        "NoSuchEntity",
        "does not exist or is not attachable",
        service="iam",
    ),
    Refusal(
        "a trust policy names who may",
        "CreateRole",
        lambda _: {
            "RoleName": "r",
            "AssumeRolePolicyDocument": json.dumps({"Statement": [{"Effect": "Allow", "Action": "*"}]}),
        },
        "MalformedPolicyDocument",
        "Principal",
        service="iam",
    ),
    Refusal(
        "a permissions policy names nobody",
        "PutRolePolicy",
        lambda _: {
            "RoleName": "r",
            "PolicyName": "p",
            "PolicyDocument": trust("x.amazonaws.com"),
        },
        "MalformedPolicyDocument",
        "should not specify a principal",
        service="iam",
    ),
)
def test_it_is_refused(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_a_zone_has_one_mount_target_and_a_file_system_never_shrinks(account: Account) -> None:
    efs, fsx = account.client("efs"), account.client("fsx")
    file_system = efs.create_file_system(CreationToken="one")["FileSystemId"]
    target = {"FileSystemId": file_system, "SubnetId": account.network.subnets[0]}
    efs.create_mount_target(**target)
    expect(
        account,
        Refusal(
            "",
            "CreateMountTarget",
            lambda _: target,
            "MountTargetConflict",
            "already exists in this AZ",
            service="efs",
        ),
    )
    made = fsx.create_file_system(**_lustre(4800)(account))["FileSystem"]
    assert (made["Lifecycle"], bool(made["LustreConfiguration"]["MountName"])) == ("AVAILABLE", True)
    smaller = {"FileSystemId": made["FileSystemId"], "StorageCapacity": 2400}
    expect(
        account, Refusal("", "UpdateFileSystem", lambda _: smaller, _BAD, "only be increased", service="fsx")
    )


def test_scheduled_sizes_are_in_order_and_in_the_future(account: Account) -> None:
    made = account.client("eks").create_nodegroup(
        clusterName=account.cluster,
        nodegroupName="scheduled",
        nodeRole=account.network.role,
        subnets=[account.network.subnets[0]],
        instanceTypes=["m7i.large"],
    )["nodegroup"]
    group = made["resources"]["autoScalingGroups"][0]["name"]
    action = {"AutoScalingGroupName": group, "ScheduledActionName": "open"}
    future = dt.datetime(2099, 1, 1, tzinfo=dt.UTC)
    past = {**action, "StartTime": dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "MinSize": 0}
    wrong = {**action, "StartTime": future, "MinSize": 0, "DesiredCapacity": 3, "MaxSize": 2}
    for request, says in ((past, "is in the past"), (wrong, "MinSize <= DesiredCapacity")):
        expect(
            account,
            Refusal(
                "",
                "PutScheduledUpdateGroupAction",
                lambda _, request=request: request,
                "ValidationError",
                says,
                service="autoscaling",
            ),
        )
    account.client("autoscaling").put_scheduled_update_group_action(**action, StartTime=future, MinSize=0)


def test_a_file_system_whose_servers_cannot_reach_each_other_is_refused(account: Account) -> None:
    ec2, fsx = account.client("ec2"), account.client("fsx")
    network = account.network
    group = ec2.create_security_group(GroupName="lustre", Description="lustre", VpcId=network.vpc)["GroupId"]
    request = _lustre(1200)(account) | {"SecurityGroupIds": [group]}
    says = "do not permit Lustre LNET network traffic on port 988"
    expect(
        account,
        Refusal("", "CreateFileSystem", lambda _: request, "InvalidNetworkSettings", says, service="fsx"),
    )
    permission = {
        "IpProtocol": "tcp",
        "FromPort": 988,
        "ToPort": 988,
        "UserIdGroupPairs": [{"GroupId": group}],
    }
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])
    fsx.create_file_system(**request)


def test_a_subnet_and_a_group_stay_while_a_file_system_is_in_them(account: Account) -> None:
    ec2, fsx, efs = account.client("ec2"), account.client("fsx"), account.client("efs")
    vpc = ec2.create_vpc(CidrBlock="10.60.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.60.0.0/24", AvailabilityZone="us-east-1a")
    subnet = subnet["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="files", Description="files", VpcId=vpc)["GroupId"]
    for port in (988, 2049):
        pair = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port}
        permission = {**pair, "UserIdGroupPairs": [{"GroupId": group}]}
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])

    def held() -> None:
        code = "DependencyViolation"
        expect(account, Refusal("", "DeleteSubnet", lambda _: {"SubnetId": subnet}, code, "has dependencies"))
        expect(account, Refusal("", "DeleteSecurityGroup", lambda _: {"GroupId": group}, code, group))

    request = _lustre(1200, SubnetIds=lambda _: [subnet])(account)
    lustre = fsx.create_file_system(**request, SecurityGroupIds=[group])["FileSystem"]["FileSystemId"]
    held()
    fsx.delete_file_system(FileSystemId=lustre)
    files = efs.create_file_system(CreationToken="held")["FileSystemId"]
    target = efs.create_mount_target(FileSystemId=files, SubnetId=subnet, SecurityGroups=[group])
    held()
    efs.delete_mount_target(MountTargetId=target["MountTargetId"])
    ec2.delete_subnet(SubnetId=subnet)
    expect(
        account, Refusal("", "DeleteVpc", lambda _: {"VpcId": vpc}, "DependencyViolation", "has dependencies")
    )
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc(VpcId=vpc)


def test_a_subnet_stays_while_nodes_or_a_control_plane_are_in_it(account: Account) -> None:
    ec2, eks = account.client("ec2"), account.client("eks")
    vpc = ec2.create_vpc(CidrBlock="10.61.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.61.{number}.0/24", AvailabilityZone=f"us-east-1{zone}")[
            "Subnet"
        ]["SubnetId"]
        for number, zone in enumerate("abc")
    ]
    eks.create_cluster(
        name="held",
        roleArn=account.network.role,
        resourcesVpcConfig={"subnetIds": subnets[:2]},
        accessConfig={"authenticationMode": "API"},
        logging={"clusterLogging": [{"types": ["audit"], "enabled": True}]},
        version="1.35",
    )
    nodes = {"clusterName": "held", "nodegroupName": "nodes"}
    eks.create_nodegroup(
        **nodes, nodeRole=account.network.role, subnets=subnets[2:], instanceTypes=["m7i.large"]
    )
    for subnet in subnets:
        says = f"'{subnet}' has dependencies"
        expect(
            account,
            Refusal("", "DeleteSubnet", lambda _, it=subnet: {"SubnetId": it}, "DependencyViolation", says),
        )
    eks.delete_nodegroup(**nodes)
    eks.delete_cluster(name="held")
    for subnet in subnets:
        ec2.delete_subnet(SubnetId=subnet)
