"""What credentials may not ask or do not answer, and how the command ends then."""

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from botocore.client import BaseClient

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import RULES
from operations.permissions.right import Holder
from operations.preflight.network_checks import ways_out
from tests.cli.command import merged
from tests.operations.permissions.evaluation import actions
from tests.operations.preflight.conftest import (
    WEEK,
    Account,
    Preflight,
    at,
    by_the_hour,
    ec2_client,
    in_a_block,
    seen,
)

pytestmark = pytest.mark.usefixtures("account")


def test_without_credentials_and_with_a_profile_that_does_not_exist_it_says_how_to_get_them(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "preflight asks the account, and there are no credentials\n"
        "  try: `aws sso login`, or AWS_PROFILE with the name of another profile\n"
    )
    monkeypatch.setenv("AWS_PROFILE", "typo")
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "AWS cannot be asked: The config profile (typo) could not be found\n"
        "  try: `aws sso login`, or AWS_PROFILE with the name of another profile\n"
    )


def test_the_policies_that_are_printed_allow_all_that_it_asks(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = set[str]()
    call = BaseClient._make_api_call

    def noting(client: BaseClient, operation: str, given: dict[str, Any]) -> Any:
        asked.add(f"{client.meta.service_model.service_name.replace('-', '')}:{operation}")
        return call(client, operation, given)

    monkeypatch.setattr(BaseClient, "_make_api_call", noting)
    account.bought(at(-1), at(WEEK))
    in_a_network = by_the_hour()
    subnets = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
    network = {"kind": "existing", "vpcId": "vpc-0123456789abcdef0", "subnets": subnets}
    in_a_network["cluster"]["network"] = network
    for settings in (in_a_block(at(-1)), by_the_hour(), in_a_network):
        preflight(settings)
    assert len(asked) > 10
    for holder in get_args(Holder):
        # Which is allowed to everybody.
        assert asked - actions(by_the_hour(), holder) == {"sts:GetCallerIdentity"}


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Lets AWS refuse an operation, as it does when credentials lack the right or have run out."""

    def refused(service: str, operation: str, code: str) -> None:
        def rule(place: object, given: dict[str, Any]) -> None:
            raise Refused(code, "You are not authorized to perform this operation.")

        monkeypatch.setitem(RULES, (service, operation), [rule])

    return refused


def test_what_is_refused_is_unknown_with_its_reason_and_the_rest_is_answered(
    account: Account, preflight: Preflight, refuse: Any
) -> None:
    account.bought(at(-1), at(WEEK))
    refuse("ec2", "DescribeCapacityReservations", "UnauthorizedOperation")
    refuse("ec2", "DescribeInstanceTypeOfferings", "UnauthorizedOperation")
    refuse("eks", "DescribeAddonVersions", "AccessDeniedException")
    refuse("service-quotas", "GetServiceQuota", "NoSuchResourceException")
    shown = seen(preflight(in_a_block(at(-1))))
    assert "unknown pool b200: capacity" in shown
    assert "these credentials may not ec2:DescribeCapacityReservations" in shown
    assert "unknown pool b200: offer" in shown
    assert "these credentials may not eks:DescribeAddonVersions" in shown
    assert "unknown quota: VPCs" in shown
    assert "service-quotas:GetServiceQuota ends in NoSuchResourceException (request " in shown
    assert "good account" in shown


def test_credentials_that_have_run_out_end_it(account: Account, preflight: Preflight, refuse: Any) -> None:
    refuse("sts", "GetCallerIdentity", "ExpiredToken")
    answer = preflight(by_the_hour())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("AWS refuses the credentials (ExpiredToken)\n  try: `aws sso login`, or ")


def test_the_account_is_asked_as_the_role_that_is_assumed(
    account: Account, preflight: Preflight, refuse: Any
) -> None:
    role = "arn:aws:iam::123456789012:role/deployer"
    settings = merged(by_the_hour(), {"cluster": {"assumeRole": role}})
    assert "good account" in seen(preflight(settings))
    asked = [json.loads(line) for line in (account.folder / "requests.jsonl").read_text().splitlines()]
    assumed = [each["parameters"] for each in asked if each["operation"] == "AssumeRole"]
    assert assumed[-1] == {"RoleArn": role, "RoleSessionName": "dynamo-stack-preflight"}
    refuse("sts", "AssumeRole", "AccessDenied")
    answer = preflight(settings)
    assert (answer.code, answer.out) == (2, "")
    assert f"AWS does not let these credentials assume {role} (cluster.assumeRole)" in answer.err


def test_nothing_is_written_to_the_account(account: Account, preflight: Preflight) -> None:
    account.bought(at(-1), at(WEEK))
    before = len((account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    preflight(in_a_block(at(-1)))
    lines = (account.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()[before:]
    assert lines
    assert all('"operation": "Describe' in line or '"operation": "Get' in line for line in lines)


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
    subnets = {"us-east-1a": first, "us-east-1b": second}
    network = {"kind": "existing", "vpcId": vpc, "subnets": subnets, "zones": None}
    return merged(by_the_hour(), {"cluster": {"network": network}})


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
