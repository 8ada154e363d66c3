"""What EKS refuses of clusters and of what is in them although the request has the right shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from tests.lab.aws_provider.refusals import Refusal, expect, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lab.aws_provider.account import Account

_PARAMETER, _REQUEST = "InvalidParameterException", "InvalidRequestException"
_ADMIN = "arn:aws:iam::123456789012:role/admin"


def _cluster(**given: Any) -> Callable[[Account], dict[str, Any]]:
    def request(account: Account) -> dict[str, Any]:
        return {
            "name": "refused",
            "roleArn": account.network.role,
            "resourcesVpcConfig": {"subnetIds": list(account.network.subnets)},
            **{key: value(account) if callable(value) else value for key, value in given.items()},
        }

    return request


def _of_cluster(rule: str, says: str, **given: Any) -> Refusal:
    return Refusal(rule, "CreateCluster", _cluster(**given), _PARAMETER, says, service="eks")


def _in_cluster(rule: str, operation: str, code: str, says: str, **given: Any) -> Refusal:
    def request(account: Account) -> dict[str, Any]:
        return {
            "clusterName": account.cluster,
            **{key: value(account) if callable(value) else value for key, value in given.items()},
        }

    return Refusal(rule, operation, request, code, says, service="eks")


def test_whoever_makes_a_cluster_that_asks_for_it_cannot_be_entered_again(account: Account) -> None:
    eks, lab = account.client("eks"), "arn:aws:iam::123456789012:user/lab"
    eks.create_cluster(
        name="bootstrapped",
        roleArn=account.network.role,
        resourcesVpcConfig={"subnetIds": list(account.network.subnets)},
        accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
    )
    with pytest.raises(ClientError) as caught:
        eks.create_access_entry(clusterName="bootstrapped", principalArn=lab)
    assert caught.value.response["Error"]["Code"] == "ResourceInUseException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 409
    eks.delete_cluster(name="bootstrapped")


@table(
    _of_cluster(
        "a control plane spans two zones",
        "at least two different AZs",
        resourcesVpcConfig=lambda account: {"subnetIds": [account.network.subnets[0]]},
    ),
    _of_cluster(
        "a control plane is in no Local Zone",
        "Subnets in Local Zones",
        resourcesVpcConfig=lambda account: {"subnetIds": [*account.network.subnets, account.network.local]},
    ),
    Refusal(
        "a control plane is in no zone that EKS excludes",
        "CreateCluster",
        _cluster(
            resourcesVpcConfig=lambda account: {
                "subnetIds": [account.network.subnets[0], account.subnet("us-east-1e")]
            }
        ),
        "UnsupportedAvailabilityZoneException",
        "because us-east-1e, the targeted availability zone",
        service="eks",
    ),
    _of_cluster(
        "a cluster has an endpoint",
        "cannot be false",
        resourcesVpcConfig=lambda account: {
            "subnetIds": list(account.network.subnets),
            "endpointPublicAccess": False,
            "endpointPrivateAccess": False,
        },
    ),
    _of_cluster(
        "public ranges are public",
        "10.0.0.0/8",
        resourcesVpcConfig=lambda account: {
            "subnetIds": list(account.network.subnets),
            "publicAccessCidrs": ["10.0.0.0/8"],
        },
    ),
    _of_cluster("EKS has the version", "unsupported Kubernetes version 1.20", version="1.20"),
    _of_cluster("a cluster's role exists", "does not exist", roleArn="arn:aws:iam::123456789012:role/none"),
    _of_cluster(
        "a key exists",
        "does not exist",
        encryptionConfig=[
            {
                "resources": ["secrets"],
                "provider": {"keyArn": "arn:aws:kms:us-east-1:123456789012:key/none"},
            }
        ],
    ),
    _of_cluster(
        "only Secrets are encrypted",
        "supports the resource [secrets] only",
        encryptionConfig=[{"resources": ["configmaps"], "provider": {"keyArn": "x"}}],
    ),
    _in_cluster(
        "an add-on is one of EKS",
        "CreateAddon",
        _PARAMETER,
        "is not supported",
        addonName="flannel",
    ),
    _in_cluster(
        "an add-on has a version of EKS",
        "CreateAddon",
        _PARAMETER,
        "version specified is not supported",
        addonName="vpc-cni",
        addonVersion="1.20",
    ),
    _in_cluster(
        "a build is one of its Kubernetes version",
        "CreateAddon",
        _PARAMETER,
        "KubernetesVersion: 1.35",
        addonName="kube-proxy",
        addonVersion="v1.36.0-eksbuild.25",
    ),
    _in_cluster(
        "network policies are switched by a text",
        "CreateAddon",
        _PARAMETER,
        "$.enableNetworkPolicy: bool found, string expected",
        addonName="vpc-cni",
        configurationValues='{"enableNetworkPolicy": true}',
    ),
    _in_cluster(
        "a principal is a role or user",
        "CreateAccessEntry",
        _PARAMETER,
        "format is not valid",
        principalArn="arn:aws:sts::123456789012:assumed-role/admin/me",
    ),
    _in_cluster(
        "a policy goes to an entry",
        "AssociateAccessPolicy",
        "ResourceNotFoundException",
        "could not be found",
        principalArn="arn:aws:iam::123456789012:role/stranger",
        policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
        accessScope={"type": "cluster"},
    ),
    _in_cluster(
        "a policy is one of EKS",
        "AssociateAccessPolicy",
        _PARAMETER,
        "policyArn",
        principalArn=_ADMIN,
        policyArn="arn:aws:iam::aws:policy/AdministratorAccess",
        accessScope={"type": "cluster"},
    ),
    _in_cluster(
        "a scope of namespaces names some",
        "AssociateAccessPolicy",
        _PARAMETER,
        "Namespaces must be given",
        principalArn=_ADMIN,
        policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
        accessScope={"type": "namespace"},
    ),
    _in_cluster(
        "the role of an add-on's pods exists",
        "CreateAddon",
        _PARAMETER,
        "does not exist",
        addonName="vpc-cni",
        podIdentityAssociations=[
            {"serviceAccount": "aws-node", "roleArn": "arn:aws:iam::123456789012:role/nobody"}
        ],
    ),
    _in_cluster(
        "an add-on's pods may take their role",
        "CreateAddon",
        _PARAMETER,
        "service principals [pods.eks.amazonaws.com]",
        addonName="vpc-cni",
        podIdentityAssociations=lambda account: [
            {"serviceAccount": "aws-node", "roleArn": account.role("not-of-pods", "ec2.amazonaws.com")}
        ],
    ),
    Refusal(
        "versions follow one another",
        "UpdateClusterVersion",
        lambda account: {"name": account.cluster, "version": "1.33"},
        _PARAMETER,
        "from 1.35 to 1.33",
        service="eks",
    ),
)
def test_eks_refuses(account: Account, refusal: Refusal) -> None:
    expect(account, refusal)


def test_a_name_in_use_and_a_cluster_with_nodes_are_refused(account: Account) -> None:
    eks, role = account.client("eks"), account.network.role
    eks.create_cluster(
        name="busy",
        roleArn=role,
        resourcesVpcConfig={"subnetIds": list(account.network.subnets)},
        deletionProtection=True,
    )
    group = {"clusterName": "busy", "nodegroupName": "nodes", "nodeRole": role}
    request = {**group, "subnets": [account.network.subnets[0]], "instanceTypes": ["m7i.large"]}
    eks.create_nodegroup(**request)

    def refuse(operation: str, parameters: dict[str, Any], code: str, says: str) -> None:
        expect(account, Refusal("", operation, lambda _: parameters, code, says, service="eks"))

    in_use = "ResourceInUseException"
    refuse("CreateNodegroup", request, in_use, "already exists")
    refuse("CreateCluster", _cluster(name="busy")(account), in_use, "already exists")
    entry = {"clusterName": "busy", "principalArn": _ADMIN}
    refuse("CreateAccessEntry", entry, _REQUEST, "authentication mode must be set")
    refuse("DeleteCluster", {"name": "busy"}, _REQUEST, "deletion protection")
    eks.update_cluster_config(name="busy", deletionProtection=False)
    refuse("DeleteCluster", {"name": "busy"}, in_use, "nodegroups attached")
    eks.delete_nodegroup(clusterName="busy", nodegroupName="nodes")
    eks.delete_cluster(name="busy")
    with pytest.raises(eks.exceptions.ResourceNotFoundException):
        eks.describe_cluster(name="busy")
