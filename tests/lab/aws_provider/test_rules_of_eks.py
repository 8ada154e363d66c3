"""What EKS refuses of clusters, node groups, add-ons and of who enters, although the shape is right."""

from collections.abc import Callable
from typing import Any

from tests.lab.aws_provider.account import Account
from tests.lab.aws_provider.refusals import Refusal, expect, refuse, table

_PARAMETER, _REQUEST, _IN_USE = (
    "InvalidParameterException",
    "InvalidRequestException",
    "ResourceInUseException",
)
_ADMIN = "arn:aws:iam::123456789012:role/admin"
_POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
_B200, _B300, _GB200 = "p6-b200.48xlarge", "p6-b300.48xlarge", "p6e-gb200.36xlarge"
_NVIDIA = "AL2023_x86_64_NVIDIA"


def _of_cluster(
    rule: str, says: str, given: Callable[[Account], dict[str, Any]], code: str = _PARAMETER
) -> Refusal:
    return Refusal(
        rule,
        "CreateCluster",
        lambda account: account.cluster_request("refused", **given(account)),
        code,
        says,
        "eks",
    )


def _in_zones(*zones: str, **more: Any) -> Callable[[Account], dict[str, Any]]:
    return lambda account: {"resourcesVpcConfig": {"subnetIds": account.network.in_zones(*zones), **more}}


def _in_cluster(rule: str, operation: str, says: str, code: str = _PARAMETER, **given: Any) -> Refusal:
    return Refusal(
        rule, operation, lambda account: {"clusterName": account.cluster, **given}, code, says, "eks"
    )


@table(
    _of_cluster("a control plane spans two zones", "at least two different AZs", _in_zones("us-east-1a")),
    _of_cluster(
        "a control plane is in no Local Zone",
        "Subnets in Local Zones",
        _in_zones("us-east-1a", "us-east-1b", "us-east-1-dfw-2a"),
    ),
    _of_cluster(
        "a control plane is in no zone that EKS excludes",
        "because us-east-1e, the targeted availability zone",
        _in_zones("us-east-1a", "us-east-1e"),
        "UnsupportedAvailabilityZoneException",
    ),
    _of_cluster(
        "public ranges are public",
        "10.0.0.0/8",
        _in_zones("us-east-1a", "us-east-1b", publicAccessCidrs=["10.0.0.0/8"]),
    ),
    _of_cluster("EKS has the version", "unsupported Kubernetes version 1.20", lambda _: {"version": "1.20"}),
    _of_cluster(
        "a cluster's role exists",
        "does not exist",
        lambda _: {"roleArn": "arn:aws:iam::123456789012:role/none"},
    ),
    _of_cluster(
        "nobody is let in for having made a cluster",
        "makes none for a cluster's maker",
        lambda _: {"accessConfig": {"authenticationMode": "API"}},
    ),
    _in_cluster("an add-on is one of EKS", "CreateAddon", "is not supported", addonName="flannel"),
    _in_cluster(
        "a build is one of its Kubernetes version",
        "CreateAddon",
        "KubernetesVersion: 1.35",
        addonName="kube-proxy",
        addonVersion="v1.36.0-eksbuild.25",
    ),
    _in_cluster(
        "network policies are switched by a text",
        "CreateAddon",
        "$.enableNetworkPolicy: bool found, string expected",
        addonName="vpc-cni",
        configurationValues='{"enableNetworkPolicy": true}',
    ),
    Refusal(
        "an add-on's pods may take their role",
        "CreateAddon",
        lambda account: {
            "clusterName": account.cluster,
            "addonName": "vpc-cni",
            "podIdentityAssociations": [
                {"serviceAccount": "aws-node", "roleArn": account.role("not-of-pods", "ec2.amazonaws.com")}
            ],
        },
        _PARAMETER,
        "service principals [pods.eks.amazonaws.com]",
        "eks",
    ),
    _in_cluster(
        "a principal is a role or user",
        "CreateAccessEntry",
        "format is not valid",
        principalArn="arn:aws:sts::123456789012:assumed-role/admin/me",
    ),
    _in_cluster(
        "a policy goes to an entry",
        "AssociateAccessPolicy",
        "could not be found",
        "ResourceNotFoundException",
        principalArn="arn:aws:iam::123456789012:role/stranger",
        policyArn=_POLICY,
        accessScope={"type": "cluster"},
    ),
    _in_cluster(
        "a policy is one of EKS",
        "AssociateAccessPolicy",
        "policyArn",
        principalArn=_ADMIN,
        policyArn="arn:aws:iam::aws:policy/AdministratorAccess",
        accessScope={"type": "cluster"},
    ),
    _in_cluster(
        "a scope of namespaces names some",
        "AssociateAccessPolicy",
        "Namespaces must be given",
        principalArn=_ADMIN,
        policyArn=_POLICY,
        accessScope={"type": "namespace"},
    ),
    Refusal(
        "versions follow one another",
        "UpdateClusterVersion",
        lambda account: {"name": account.cluster, "version": "1.37"},
        _PARAMETER,
        "from 1.35 to 1.37",
        "eks",
    ),
)
def test_eks_refuses(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def _of_group(rule: str, says: str, code: str = _PARAMETER, **given: Any) -> Refusal:
    return Refusal(
        rule,
        "CreateNodegroup",
        lambda account: account.group_request("refused", **given),
        code,
        says,
        "eks",
    )


def _launching(
    rule: str, says: str, data: dict[str, Any], zone: str = "us-east-1a", code: str = _REQUEST, **given: Any
) -> Refusal:
    """A group of a launch template with this content, in this zone."""

    def request(account: Account) -> dict[str, Any]:
        template = account.template(rule.replace(" ", "-"), **data)
        subnets = account.network.in_zones(zone)
        return account.group_request("refused", launchTemplate=template, subnets=subnets, **given)

    return Refusal(rule, "CreateNodegroup", request, code, says, "eks")


def _block(reservation: str, instance_type: str) -> dict[str, Any]:
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}
    market = {"MarketType": "capacity-block"}
    return {
        "InstanceType": instance_type,
        "InstanceMarketOptions": market,
        "CapacityReservationSpecification": target,
    }


@table(
    _launching(
        "spot is a capacity type and no market option",
        "use the capacity type SPOT",
        {"InstanceMarketOptions": {"MarketType": "spot"}},
        code=_PARAMETER,
    ),
    _launching(
        "a capacity block's template needs its capacity type",
        "CAPACITY_BLOCK and a launch template with market type capacity-block must be used together",
        _block("cr-0123456789abcdef0", _B200),
        code=_PARAMETER,
    ),
    _launching(
        "a capacity block is launched in its zone",
        "is in Availability Zone us-east-1c; the launch is in us-east-1a",
        _block("cr-0123456789abcdef3", _B300),
        capacityType="CAPACITY_BLOCK",
        amiType=_NVIDIA,
    ),
    _launching(
        "a zone offers the instance type",
        "not supported in your requested Availability Zone (us-east-1b)",
        {"InstanceType": _B200},
        "us-east-1b",
        amiType=_NVIDIA,
    ),
    _of_group(
        "GB200 is not sold on demand",
        "it supports capacity-block",
        _REQUEST,
        amiType="AL2023_ARM_64_NVIDIA",
        instanceTypes=[_GB200],
    ),
    _of_group("GPUs need an AMI with a driver", "has no driver", instanceTypes=[_B200]),
    _of_group(
        "the AMI is of the instance's architecture",
        "its architecture is x86_64",
        amiType="AL2023_ARM_64_NVIDIA",
        instanceTypes=[_B200],
    ),
    _of_group("a name has 63 characters", "63 characters at most", nodegroupName="n" * 64),
    _of_group(
        "sizes are in order",
        "minSize 0, desiredSize 3 and maxSize 2",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 3},
    ),
    _of_group(
        "labels of Kubernetes are its own",
        "reserved prefixes",
        labels={"kubernetes.io/hostname": "mine"},
    ),
    Refusal(
        "EC2 may take a node's role",
        "CreateNodegroup",
        lambda account: account.group_request(
            "refused", nodeRole=account.role("not-of-nodes", "eks.amazonaws.com")
        ),
        _PARAMETER,
        "service principals [ec2.amazonaws.com]",
        "eks",
    ),
    _of_group("nodes are not newer than the control plane", "control plane is at 1.35", version="1.36"),
)
def test_eks_refuses_the_node_group(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_a_name_in_use_and_a_cluster_with_nodes_are_refused(account: Account) -> None:
    eks, busy = account.client("eks"), account.cluster_request("busy", deletionProtection=True)
    eks.create_cluster(**busy)
    group = account.group_request("nodes", clusterName="busy")
    eks.create_nodegroup(**group)
    entry = {"clusterName": "busy", "principalArn": _ADMIN}
    eks.create_access_entry(**entry)

    refuse(account, "CreateNodegroup", group, _IN_USE, "already exists", "eks")
    refuse(account, "CreateCluster", busy, _IN_USE, "already exists", "eks")
    refuse(account, "CreateAccessEntry", entry, _IN_USE, "already in use", "eks")
    refuse(account, "DeleteCluster", {"name": "busy"}, _REQUEST, "deletion protection", "eks")
    eks.update_cluster_config(name="busy", deletionProtection=False)
    refuse(account, "DeleteCluster", {"name": "busy"}, _IN_USE, "nodegroups attached", "eks")
    eks.delete_nodegroup(clusterName="busy", nodegroupName="nodes")
    eks.delete_cluster(name="busy")
    missing = "ResourceNotFoundException"
    refuse(account, "DescribeCluster", {"name": "busy"}, missing, "No cluster found for name: busy.", "eks")
