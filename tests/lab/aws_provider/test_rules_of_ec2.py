"""What EC2 refuses of networks and launch templates although the request has the right shape."""

from typing import Any

from tests.lab.aws_provider.account import Account
from tests.lab.aws_provider.refusals import Refusal, expect, table

_COMBINATION = "InvalidParameterCombination"
_VALUE = "InvalidParameterValue"
_B200, _B300, _GB200 = "p6-b200.48xlarge", "p6-b300.48xlarge", "p6e-gb200.36xlarge"
_BLOCK, _GB200_BLOCK = "cr-0123456789abcdef0", "cr-0123456789abcdef2"


@table(
    Refusal(
        "a VPC is /28 to /16",
        "CreateVpc",
        lambda _: {"CidrBlock": "10.0.0.0/8"},
        "InvalidVpc.Range",
        "10.0.0.0/8",
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
        "a Local Zone has no NAT gateway",
        "CreateNatGateway",
        lambda account: {
            "SubnetId": account.network.subnets["us-east-1-dfw-2a"],
            "AllocationId": "eipalloc-0123456789abcdef0",
        },
        _VALUE,
        "not supported in the zone us-east-1-dfw-2a",
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
)
def test_ec2_refuses(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def _nic(card: int = 0, device: int = 0, kind: str = "interface", **more: Any) -> dict[str, Any]:
    return {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind, **more}


def _market(kind: str, reservation: str) -> dict[str, Any]:
    return {"InstanceMarketOptions": {"MarketType": kind}, **_target(reservation)}


def _target(reservation: str) -> dict[str, Any]:
    target = {"CapacityReservationId": reservation}
    return {"CapacityReservationSpecification": {"CapacityReservationTarget": target}}


def _of_template(rule: str, code: str, says: str, **data: Any) -> Refusal:
    request = {"LaunchTemplateName": "refused", "LaunchTemplateData": data}
    return Refusal(rule, "CreateLaunchTemplate", lambda _: request, code, says)


@table(
    _of_template(
        "efa-only is never the primary interface",
        _COMBINATION,
        "cannot be of type efa-only",
        NetworkInterfaces=[_nic(kind="efa-only")],
    ),
    _of_template(
        "device 0 of card 0 must be there",
        _COMBINATION,
        "index 0 of network card 0",
        NetworkInterfaces=[_nic(card=1)],
    ),
    _of_template(
        "a place on a card is used once",
        _VALUE,
        "used more than once",
        NetworkInterfaces=[_nic(), _nic()],
    ),
    _of_template(
        "a card must exist",
        "InvalidNetworkCardIndex",
        "which has 8",
        InstanceType=_B200,
        NetworkInterfaces=[_nic(), _nic(card=8, kind="efa-only")],
    ),
    _of_template(
        "no more EFAs than the type has",
        "AttachmentLimitExceeded",
        "EFA interfaces count 9 exceeds allowed limit of 8",
        InstanceType=_B200,
        NetworkInterfaces=[
            _nic(),
            *(_nic(card=card, device=1, kind="efa-only") for card in range(8)),
            _nic(card=1, device=2, kind="efa"),
        ],
    ),
    _of_template(
        "no more interfaces on a card than it has",
        "AttachmentLimitExceeded",
        "network card 1 of p6e-gb200.36xlarge",
        InstanceType=_GB200,
        **_market("capacity-block", _GB200_BLOCK),
        NetworkInterfaces=[_nic(), _nic(card=1, device=2, kind="efa-only")],
    ),
    _of_template(
        "card 0 of GB200 has no EFA",
        _COMBINATION,
        "Network card 0 of p6e-gb200.36xlarge does not support EFA",
        InstanceType=_GB200,
        **_market("capacity-block", _GB200_BLOCK),
        NetworkInterfaces=[_nic(kind="efa")],
    ),
    _of_template(
        "EFA needs a type with EFA",
        _COMBINATION,
        "does not support Elastic Fabric Adapter",
        InstanceType="m7g.large",
        NetworkInterfaces=[_nic(kind="efa")],
    ),
    _of_template(
        "a public address needs a single interface",
        _COMBINATION,
        "multiple network interfaces",
        NetworkInterfaces=[_nic(AssociatePublicIpAddress=True), _nic(device=1)],
    ),
    _of_template("an instance type exists", _VALUE, "enum value set", InstanceType="p9.48xlarge"),
    _of_template(
        "a capacity block is named",
        _COMBINATION,
        "You must specify a Capacity Block",
        InstanceMarketOptions={"MarketType": "capacity-block"},
    ),
    _of_template(
        "a capacity block takes no placement group",
        _COMBINATION,
        "Placement groups are not supported",
        **_market("capacity-block", _BLOCK),
        Placement={"GroupName": "ours"},
    ),
    _of_template(
        "a capacity reservation exists",
        "InvalidCapacityReservationId.NotFound",
        "cr-0aaaaaaaaaaaaaaaa",
        **_market("capacity-block", "cr-0aaaaaaaaaaaaaaaa"),
    ),
    _of_template(
        "a capacity block is used by its own market type",
        _COMBINATION,
        "the market type 'spot' cannot be used",
        **_market("spot", _BLOCK),
    ),
    _of_template(
        "a reservation is for its own instance type",
        _VALUE,
        "is for p6-b200.48xlarge, not p6-b300.48xlarge",
        InstanceType=_B300,
        **_market("capacity-block", _BLOCK),
    ),
    _of_template(
        "GB200 is sold in capacity blocks alone",
        "UnsupportedOperation",
        "it supports capacity-block",
        InstanceType=_GB200,
    ),
    _of_template(
        "a placement group exists",
        "InvalidPlacementGroup.Unknown",
        "'nowhere' is unknown",
        Placement={"GroupName": "nowhere"},
    ),
    _of_template(
        "a reservation made in a placement group is used in it",
        _VALUE,
        "was created in the placement group 'ours'; the launch is in no placement group",
        **_target("cr-0123456789abcdef4"),
    ),
    _of_template(
        "a reservation made outside a placement group is used in none",
        _VALUE,
        "was created in no placement group; the launch is in the placement group 'ours'",
        **_target("cr-0123456789abcdef5"),
        Placement={"GroupName": "ours"},
    ),
    _of_template("user data is base64", "InvalidUserData.Malformed", "BASE64", UserData="#!/bin/sh"),
)
def test_ec2_refuses_the_template(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_the_layouts_that_aws_documents_are_accepted(account: Account) -> None:
    block = _market("capacity-block", _GB200_BLOCK)
    b200 = [
        _nic(),
        _nic(device=1, kind="efa-only"),
        *(_nic(card=card, kind="efa-only") for card in range(1, 8)),
    ]
    b300 = [_nic(), *(_nic(card=card, kind="efa-only") for card in range(1, 17))]
    gb200 = [_nic(), *(_nic(card=card, kind="efa-only") for card in (1, 5, 9, 13))]
    account.template("documented-b200", InstanceType=_B200, NetworkInterfaces=b200)
    account.template("documented-b300", InstanceType=_B300, NetworkInterfaces=b300)
    account.template("documented-gb200", InstanceType=_GB200, NetworkInterfaces=gb200, **block)
