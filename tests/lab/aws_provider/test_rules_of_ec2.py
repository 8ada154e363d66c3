"""What EC2 refuses of networks, disks and instances although the request has the right shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lab.aws_provider.refusals import Refusal, expect, table

if TYPE_CHECKING:
    from tests.lab.aws_provider.account import Account

_COMBINATION = "InvalidParameterCombination"
_VALUE = "InvalidParameterValue"
_B200 = "p6-b200.48xlarge"


@table(
    Refusal(
        "50 tags at most",
        "CreateVpc",
        lambda _: {
            "CidrBlock": "10.9.0.0/16",
            "TagSpecifications": [
                {
                    "ResourceType": "vpc",
                    "Tags": [{"Key": f"key-{number}", "Value": ""} for number in range(51)],
                }
            ],
        },
        "TagLimitExceeded",
        "50",
    ),
    Refusal(
        "tags of AWS are its own",
        "CreateVpc",
        lambda _: {
            "CidrBlock": "10.9.0.0/16",
            "TagSpecifications": [{"ResourceType": "vpc", "Tags": [{"Key": "aws:x", "Value": ""}]}],
        },
        _VALUE,
        "reserved",
    ),
    Refusal(
        "a VPC is /28 to /16",
        "CreateVpc",
        lambda _: {"CidrBlock": "10.0.0.0/8"},
        "InvalidVpc.Range",
        "10.0.0.0/8",
    ),
    Refusal(
        "a subnet lies in its VPC",
        "CreateSubnet",
        lambda account: {"VpcId": account.network.vpc, "CidrBlock": "10.7.0.0/24"},
        "InvalidSubnet.Range",
        "10.7.0.0/24",
    ),
    Refusal(
        "a Local Zone is opted in to first",
        "CreateSubnet",
        lambda account: {
            "VpcId": account.network.vpc,
            "CidrBlock": "10.0.77.0/24",
            "AvailabilityZone": "us-east-1-atl-2a",
        },
        _VALUE,
        "us-east-1-atl-2a",
    ),
    Refusal(
        "a zone group exists",
        "ModifyAvailabilityZoneGroup",
        lambda _: {"GroupName": "us-east-1-nowhere-1", "OptInStatus": "opted-in"},
        _VALUE,
        "us-east-1-nowhere-1",
    ),
    Refusal(
        "opting out takes AWS's support",
        "ModifyAvailabilityZoneGroup",
        lambda _: {"GroupName": "us-east-1-dfw-2", "OptInStatus": "not-opted-in"},
        "OptInRequired",
        "AWS Support",
    ),
    Refusal(
        "a Local Zone has no NAT gateway",
        "CreateNatGateway",
        lambda account: {"SubnetId": account.network.local, "AllocationId": "eipalloc-0123456789abcdef0"},
        _VALUE,
        "not supported in the zone us-east-1-dfw-2a",
    ),
    Refusal(
        "a public NAT gateway has an address",
        "CreateNatGateway",
        lambda account: {"SubnetId": account.network.subnets[0]},
        "MissingParameter",
        "AllocationId",
    ),
    Refusal(
        "TCP has ports",
        "AuthorizeSecurityGroupIngress",
        lambda account: {
            "GroupId": account.network.group,
            "IpPermissions": [{"IpProtocol": "tcp", "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}],
        },
        _VALUE,
        "from and to ports",
    ),
    Refusal(
        "a rule has a source",
        "AuthorizeSecurityGroupIngress",
        lambda account: {"GroupId": account.network.group, "IpPermissions": [{"IpProtocol": "-1"}]},
        "MissingParameter",
        "cidr or groupId",
    ),
    Refusal(
        "a rule is about groups that exist",
        "AuthorizeSecurityGroupIngress",
        lambda account: {
            "GroupId": account.network.group,
            "IpPermissions": [
                {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-0123456789abcdef9"}]}
            ],
        },
        "InvalidGroup.NotFound",
        "sg-0123456789abcdef9",
    ),
    Refusal(
        "a rule is there once",
        "AuthorizeSecurityGroupEgress",
        lambda account: {
            "GroupId": account.network.group,
            "IpPermissions": [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}],
        },
        "InvalidPermission.Duplicate",
        "already exists",
    ),
    Refusal(
        "a route has one target",
        "CreateRoute",
        lambda _: {
            "RouteTableId": "rtb-0123456789abcdef0",
            "DestinationCidrBlock": "0.0.0.0/0",
            "GatewayId": "igw-1",
            "NatGatewayId": "nat-1",
        },
        _COMBINATION,
        "one target",
    ),
    Refusal(
        "an endpoint is to a service of its region",
        "CreateVpcEndpoint",
        lambda account: {"VpcId": account.network.vpc, "ServiceName": "com.amazonaws.us-west-2.s3"},
        "InvalidServiceName",
        "us-west-2",
    ),
    Refusal(
        "a flow log's role exists",
        "CreateFlowLogs",
        lambda account: {
            "ResourceIds": [account.network.vpc],
            "ResourceType": "VPC",
            "TrafficType": "ALL",
            "LogDestination": "arn:aws:logs:us-east-1:123456789012:log-group:x",
            "DeliverLogsPermissionArn": "arn:aws:iam::123456789012:role/nobody",
        },
        "InvalidParameter",
        "nobody",
    ),
)
def test_ec2_refuses(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)
