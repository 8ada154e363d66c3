"""A VPC that exists, looked at before a cluster is made in it."""

from __future__ import annotations

from typing import Any

import pytest

from operations.preflight.network_checks import ways_out
from tests.operations.preflight.account import by_the_hour, ec2_client, seen

Preflight = Any
pytestmark = pytest.mark.usefixtures("account")


def _adopted(ec2: Any) -> dict[str, Any]:
    """A stack in a VPC with a subnet in each of two zones, one of which has a way out."""
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    first, second = (
        ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for zone, block in (("us-east-1a", "10.9.0.0/24"), ("us-east-1b", "10.9.1.0/28"))
    )
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.associate_route_table(RouteTableId=table, SubnetId=first)
    settings = by_the_hour()
    subnets = {"us-east-1a": first, "us-east-1b": second}
    settings["cluster"]["network"] = {"kind": "existing", "vpcId": vpc, "subnets": subnets}
    return settings


def test_an_adopted_vpc_is_looked_at_before_a_cluster_is_made_in_it(preflight: Preflight) -> None:
    ec2 = ec2_client()
    settings = _adopted(ec2)
    network = settings["cluster"]["network"]
    first, second = network["subnets"].values()
    answer = preflight(settings)
    shown = seen(answer)
    assert answer.code == 1
    assert f"wrong subnet {first} leads to igw-" in shown
    assert (
        f"wrong subnet {second} 11 free addresses, and EKS wants 16 beside those of nodes and pods" in shown
    )
    assert f"wrong subnet {second} no way out: images and model come from outside" in shown
    assert f"wrong DNS of {network['vpcId']} nodes find neither API server nor file systems by name" in shown
    assert f"aws ec2 modify-vpc-attribute --vpc-id {network['vpcId']} --enable-dns-hostnames\n" in answer.out

    ec2.modify_vpc_attribute(VpcId=network["vpcId"], EnableDnsHostnames={"Value": True})
    network["subnets"] = {"us-east-1b": first, "us-east-1a": "subnet-01234567"}
    shown = seen(preflight(settings))
    assert f"good DNS of {network['vpcId']} names and resolution are on" in shown
    assert f"wrong subnet {first} is in us-east-1a" in shown
    assert f"wrong subnet subnet-01234567 {network['vpcId']} has no such subnet" in shown


def test_a_gateways_own_table_is_no_way_out_and_a_wide_area_network_is_one() -> None:
    core = "arn:aws:networkmanager::123456789012:core-network/core-network-1"
    route = {"DestinationCidrBlock": "0.0.0.0/0", "CoreNetworkArn": core}
    tables = [
        {"Associations": [{"Main": True}], "Routes": [route]},
        {"Associations": [{"GatewayId": "igw-1"}], "Routes": []},
    ]
    assert ways_out(tables) == {None: core}
