"""What EKS refuses of node groups although the request has the right shape: a refusal for each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.lab.aws_provider.refusals import Refusal, expect, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lab.aws_provider.account import Account

_PARAMETER, _REQUEST = "InvalidParameterException", "InvalidRequestException"
_B200, _GB200 = "p6-b200.48xlarge", "p6e-gb200.36xlarge"
_BLOCK, _WAITING = "cr-0123456789abcdef0", "cr-0123456789abcdef1"
_NVIDIA = "AL2023_x86_64_NVIDIA"


def _group(**given: Any) -> Callable[[Account], dict[str, Any]]:
    def request(account: Account) -> dict[str, Any]:
        return {
            "clusterName": account.cluster,
            "nodegroupName": "refused",
            "nodeRole": account.network.role,
            "subnets": [account.network.subnets[0]],
            **{key: value(account) if callable(value) else value for key, value in given.items()},
        }

    return request


def _from_template(name: str, **data: Any) -> Callable[[Account], dict[str, str]]:
    return lambda account: account.template(name, **data)


def _of_group(rule: str, says: str, code: str = _PARAMETER, **given: Any) -> Refusal:
    return Refusal(rule, "CreateNodegroup", _group(**given), code, says, service="eks")


def _block(reservation: str, **data: Any) -> dict[str, Any]:
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}
    market = {"MarketType": "capacity-block"}
    return {"InstanceMarketOptions": market, "CapacityReservationSpecification": target, **data}


@table(
    _of_group(
        "the instance type is said once",
        "both in the launch template and in the request",
        launchTemplate=_from_template("with-type", InstanceType="m7i.large"),
        instanceTypes=["m7i.large"],
    ),
    _of_group(
        "a template is named by id or by name",
        "Either provide launch template ID",
        launchTemplate={"id": "lt-0123456789abcdef0", "name": "x"},
    ),
    _of_group(
        "a template exists",
        "can't be found",
        launchTemplate={"id": "lt-0123456789abcdef0"},
    ),
    _of_group(
        "a template names no subnet",
        "should not specify a subnet",
        launchTemplate=lambda account: account.template(
            "with-subnet",
            InstanceType="m7i.large",
            NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": account.network.subnets[0]}],
        ),
    ),
    _of_group(
        "spot is a capacity type and no market option",
        "use the capacity type SPOT",
        launchTemplate=_from_template("with-spot", InstanceMarketOptions={"MarketType": "spot"}),
    ),
    _of_group(
        "a capacity block's template needs its capacity type",
        "CAPACITY_BLOCK and a launch template with market type capacity-block must be used together",
        amiType=_NVIDIA,
        launchTemplate=_from_template("block-as-od", **_block(_BLOCK, InstanceType=_B200)),
    ),
    _of_group(
        "the capacity type of blocks needs such a template",
        "must be used together",
        capacityType="CAPACITY_BLOCK",
        amiType=_NVIDIA,
        launchTemplate=_from_template("od-as-block", InstanceType=_B200),
    ),
    _of_group(
        "a capacity block is launched in its zone",
        "is in Availability Zone us-east-1c; the launch is in us-east-1a",
        _REQUEST,
        capacityType="CAPACITY_BLOCK",
        amiType=_NVIDIA,
        launchTemplate=_from_template(
            "block-elsewhere", **_block("cr-0123456789abcdef3", InstanceType="p6-b300.48xlarge")
        ),
    ),
    _of_group(
        "a zone offers the instance type",
        "not supported in your requested Availability Zone (us-east-1b)",
        _REQUEST,
        amiType=_NVIDIA,
        instanceTypes=[_B200],
        subnets=lambda account: [account.network.subnets[1]],
    ),
    _of_group(
        "GB200 is not sold on demand",
        "it supports capacity-block",
        _REQUEST,
        amiType="AL2023_ARM_64_NVIDIA",
        instanceTypes=[_GB200],
        subnets=lambda account: [account.network.local],
    ),
    _of_group(
        "GPUs need an AMI with a driver",
        "has no driver",
        amiType="AL2023_x86_64_STANDARD",
        instanceTypes=[_B200],
    ),
    _of_group(
        "the AMI is of the instance's architecture",
        "its architecture is x86_64",
        amiType="AL2023_ARM_64_NVIDIA",
        instanceTypes=[_B200],
    ),
    _of_group("an instance type exists", "do not exist", instanceTypes=["p9.48xlarge"]),
    _of_group("a name has 63 characters", "63 characters at most", nodegroupName="n" * 64),
    _of_group(
        "min is at most max",
        "Minimum capacity 3",
        scalingConfig={"minSize": 3, "maxSize": 2, "desiredSize": 2},
    ),
    _of_group(
        "desired is at most max",
        "desired capacity 3",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 3},
    ),
    _of_group(
        "desired is at least min",
        "greater than desired size 1",
        scalingConfig={"minSize": 2, "maxSize": 2, "desiredSize": 1},
    ),
    _of_group(
        "a taint is there once",
        "unique by key and effect",
        taints=[{"key": "a", "value": value, "effect": "NO_SCHEDULE"} for value in "xy"],
    ),
    _of_group(
        "labels of Kubernetes are its own",
        "reserved prefixes",
        labels={"kubernetes.io/hostname": "mine"},
    ),
    _of_group("a role exists", "does not exist", nodeRole="arn:aws:iam::123456789012:role/nobody"),
    _of_group(
        "EC2 may take a node's role",
        "service principals [ec2.amazonaws.com]",
        nodeRole=lambda account: account.role("not-of-nodes", "eks.amazonaws.com"),
    ),
    _of_group(
        "a template's security groups exist",
        "'sg-0123456789abcdef9' of the launch template",
        launchTemplate=_from_template(
            "with-group", InstanceType="m7i.large", SecurityGroupIds=["sg-0123456789abcdef9"]
        ),
    ),
    _of_group("subnets exist", "does not exist", subnets=["subnet-0123456789abcdef0"]),
    _of_group("nodes are not newer than the control plane", "control plane is at 1.35", version="1.36"),
    _of_group("50 tags at most", "50", tags={f"key-{number}": "" for number in range(51)}),
    _of_group("a cluster exists", "No cluster found", "ResourceNotFoundException", clusterName="nowhere"),
)
def test_eks_refuses_the_node_group(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_a_waiting_group_of_a_capacity_block_is_accepted(account: Account) -> None:
    template = account.template("block-accepted", **_block(_WAITING, InstanceType=_B200))
    request = _group(
        nodegroupName="waiting",
        capacityType="CAPACITY_BLOCK",
        amiType=_NVIDIA,
        launchTemplate=template,
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0},
    )(account)
    made = account.client("eks").create_nodegroup(**request)["nodegroup"]
    assert (made["status"], made["version"]) == ("ACTIVE", "1.35")
    name = made["resources"]["autoScalingGroups"][0]["name"]
    groups = account.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    assert groups["AutoScalingGroups"][0]["DesiredCapacity"] == 0
