"""What is in the policies, and on what."""

import json
from typing import Any, get_args

import pytest

from operations.errors import CommandError
from operations.permissions.policy import LARGEST, policies
from operations.permissions.right import Holder, reads
from operations.permissions.table import RIGHTS
from resource_graph import Resource, ResourceGraph
from tests.cli.command import merged
from tests.operations.permissions.evaluation import Asked, actions, allowed, made, recordings, statements
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind

Settings = dict[str, Any]
BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"
ROLE = "arn:aws:iam::123456789012:role/"


def with_cluster(**changes: Any) -> Settings:
    return merged(eks_b200_settings(), {"cluster": changes})


def in_adopted_network() -> Settings:
    subnets = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
    network = {"kind": "existing", "vpcId": "vpc-0123456789abcdef0", "subnets": subnets, "zones": None}
    return with_cluster(network=network)


def with_storage(kind: str) -> Settings:
    cache = {"size": "200Gi", "storage": {"kind": kind}}
    return eks_b200_settings() | {"modelCache": cache}


def with_the_longest_names() -> Settings:
    roles = {"path": f"/{'p' * 510}/", "permissionsBoundary": BOUNDARY}
    return merged(eks_settings_of_every_kind(), {"cluster": {"name": "n" * 30, "roles": roles}})


@pytest.mark.parametrize("holder", get_args(Holder))
@pytest.mark.parametrize("settings", [eks_gb200_settings, with_the_longest_names])
def test_every_policy_is_one_that_iam_takes(settings: Any, holder: Holder) -> None:
    documents = made(settings(), holder)
    for policy in documents:
        assert policy["Version"] == "2012-10-17"
        # IAM does not count blanks.
        assert len("".join(json.dumps(policy).split())) <= LARGEST
        for each in policy["Statement"]:
            assert each["Sid"].isalnum()
            assert each["Effect"] == "Allow"
            assert each["Action"]
            assert each["Resource"]
    names = [each["Sid"] for policy in documents for each in policy["Statement"]]
    assert len(names) == len(set(names))


def test_a_previewer_reads_and_changes_nothing() -> None:
    granted = actions(eks_settings_of_every_kind(), "previewer")
    assert {"ec2:DescribeVpcs", "eks:DescribeCluster", "iam:GetRole", "kms:GetKeyPolicy"} <= granted
    assert [each for each in granted if not each.split(":")[1].startswith(("Describe", "Get", "List"))] == []
    assert granted < actions(eks_settings_of_every_kind(), "deployer")


def test_only_what_aws_cannot_limit_is_allowed_outside_of_account_and_region() -> None:
    found = statements(eks_settings_of_every_kind()).values()
    places = ("arn:aws:iam::123456789012:role/", "arn:aws:ec2:us-east-1::image/")
    for resource in {resource for each in found for resource in each["Resource"]} - {"*"}:
        here = resource.split(":")[3:5] == ["us-east-1", "123456789012"]
        assert here or resource.startswith(places), resource
    on_anything = {
        action
        for each in found
        if each["Resource"] == ["*"]
        for action in each["Action"]
        if not action.split(":")[1].startswith(("Describe", "Get", "List"))
    }
    assert on_anything == {
        "ec2:ModifyAvailabilityZoneGroup",
        "eks:CreateCluster",
        "elasticfilesystem:CreateFileSystem",
        "kms:CreateKey",
    }


def test_roles_are_handed_to_the_services_that_take_them_and_to_no_other() -> None:
    found = statements(eks_b200_settings())
    handed = {sid: each for sid, each in found.items() if each["Action"] == ["iam:PassRole"]}
    assert {sid: each["Resource"] for sid, each in handed.items()} == {
        "RolesForEks": [f"{ROLE}gpt-oss-{name}" for name in ("aws-ebs-csi-driver", "cluster", "cni", "node")],
        "RolesForVpcFlowLogs": [f"{ROLE}gpt-oss-flow-logs"],
    }
    assert handed["RolesForEks"]["Condition"] == {
        "StringEquals": {
            "iam:PassedToService": ["ec2.amazonaws.com", "eks.amazonaws.com", "pods.eks.amazonaws.com"]
        }
    }
    assert handed["RolesForVpcFlowLogs"]["Condition"] == {
        "StringEquals": {"iam:PassedToService": ["vpc-flow-logs.amazonaws.com"]}
    }


def test_a_role_gets_the_policies_of_the_program_and_no_others() -> None:
    documents, role = made(eks_b200_settings()), f"{ROLE}gpt-oss-node"
    for policy, may in (("AmazonEKSWorkerNodePolicy", True), ("AdministratorAccess", False)):
        context = {"iam:PolicyARN": f"arn:aws:iam::aws:policy/{policy}"}
        assert allowed(documents, Asked("iam:AttachRolePolicy", role, context)) is may
    assert not allowed(documents, Asked("iam:PutRolePolicy", role))
    assert allowed(documents, Asked("iam:PutRolePolicy", f"{ROLE}gpt-oss-flow-logs"))


def test_a_role_without_the_boundary_that_is_typed_cannot_be_made() -> None:
    documents, role = made(with_cluster(roles={"permissionsBoundary": BOUNDARY})), f"{ROLE}gpt-oss-node"
    for action in ("iam:CreateRole", "iam:PutRolePermissionsBoundary"):
        assert not allowed(documents, Asked(action, role))
        assert not allowed(documents, Asked(action, role, {"iam:PermissionsBoundary": f"{BOUNDARY}-2"}))
        assert allowed(documents, Asked(action, role, {"iam:PermissionsBoundary": BOUNDARY}))
    assert "iam:DeleteRolePermissionsBoundary" not in actions(
        with_cluster(roles={"permissionsBoundary": BOUNDARY})
    )


def test_roles_are_meant_below_their_path_alone_and_without_a_boundary_nobody_sets_one() -> None:
    documents = made(with_cluster(roles={"path": "/team/"}))
    assert allowed(documents, Asked("iam:CreateRole", f"{ROLE}team/gpt-oss-node"))
    assert not allowed(documents, Asked("iam:CreateRole", f"{ROLE}gpt-oss-node"))
    assert "iam:PutRolePermissionsBoundary" not in actions(with_cluster(roles={"path": "/team/"}))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("eks:DeleteCluster", "arn:aws:eks:us-east-1:123456789012:cluster/gpt-oss-2"),
        ("eks:DeleteNodegroup", "arn:aws:eks:us-east-1:123456789012:nodegroup/gpt-oss-2/gpt-oss/an-id"),
        ("iam:DeleteRole", f"{ROLE}gpt-oss-2-node"),
        ("logs:DeleteLogGroup", "arn:aws:logs:us-east-1:123456789012:log-group:/aws/eks/gpt-oss-2/cluster:*"),
        (
            "autoscaling:DeleteScheduledAction",
            "arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:an-id"
            ":autoScalingGroupName/eks-gpt-oss-2-b200-an-id",
        ),
        ("ec2:DeleteVpc", "arn:aws:ec2:us-east-1:123456789012:vpc/vpc-0123456789abcdef0"),
        ("kms:ScheduleKeyDeletion", "arn:aws:kms:us-east-1:123456789012:key/an-id"),
        ("fsx:DeleteFileSystem", "arn:aws:fsx:us-east-1:123456789012:file-system/fs-1"),
    ],
)
def test_what_another_stack_has_cannot_be_deleted(action: str, resource: str) -> None:
    documents = made(eks_b200_settings())
    assert action in actions(eks_b200_settings())
    assert not allowed(documents, Asked(action, resource, {"aws:ResourceTag/dynamo-stack": "gpt-oss-2"}))


def test_a_network_that_exists_is_looked_at_and_left_alone() -> None:
    granted = actions(in_adopted_network())
    assert {"ec2:DescribeSubnets", "ec2:DescribeVpcAttribute", "eks:CreateCluster"} <= granted
    assert not {"ec2:CreateVpc", "ec2:DeleteSubnet", "ec2:CreateNatGateway", "ec2:CreateFlowLogs"} & granted
    assert "RolesForVpcFlowLogs" not in statements(in_adopted_network())


def test_the_action_that_waits_for_a_window_may_be_made_and_taken_away_in_every_phase() -> None:
    scheduled = {"autoscaling:PutScheduledUpdateGroupAction", "autoscaling:DeleteScheduledAction"}
    for phase in ("waiting", "active"):
        settings = eks_b200_settings()
        settings["nodePools"][0]["purchase"]["phase"] = phase
        assert scheduled <= actions(settings)
    by_the_hour = eks_b200_settings()
    by_the_hour["nodePools"][0]["purchase"] = {"kind": "onDemand"}
    assert not scheduled & actions(by_the_hour)


def test_a_type_without_known_permissions_is_named() -> None:
    plan = resolved(eks_b200_settings()).infrastructure
    assert plan is not None
    graph = ResourceGraph([Resource(urn="urn:x", type="aws:s3/bucket:Bucket", name="x", inputs={})])
    with pytest.raises(CommandError, match="no permissions are known for aws:s3/bucket:Bucket"):
        policies(plan, [graph], "deployer")


def test_the_table_has_every_type_that_a_stack_has_and_those_who_preview_can_read_it() -> None:
    storage = map(with_storage, ("ebs", "instanceStore"))
    made_up = [eks_settings_of_every_kind(), eks_b200_settings(), *storage]
    types = {each.type for settings in made_up for graph in recordings(settings) for each in graph}
    assert {each for each in types if each.startswith("aws:")} == RIGHTS.keys()
    for kind, rights in RIGHTS.items():
        assert any(reads(action) for _, actions in rights for action in actions), kind
