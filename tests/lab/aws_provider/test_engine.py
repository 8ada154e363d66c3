"""A toy program with the real engine: up, refresh, no change, a replacement, destroy."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

import pytest

from lab import aws_cloud, cluster, processes
from lab.directory import REPOSITORY
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engine

_PROJECT = f"""\
name: toy-aws
runtime:
  name: python
  options: {{toolchain: pip, virtualenv: {REPOSITORY / ".venv"}}}
"""
_PROGRAM = """\
import json

import pulumi
import pulumi_aws as aws

provider = aws.Provider(
    "aws",
    region="us-east-1",
    allowed_account_ids=["{account}"],
    default_tags={{"tags": {{"owner": "toy"}}}},
)
options = pulumi.ResourceOptions(provider=provider)
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", tags={{"Name": "toy"}}, opts=options)
subnets = [
    aws.ec2.Subnet(
        f"subnet-{{zone}}",
        vpc_id=vpc.id,
        cidr_block=f"10.0.{{number}}.0/24",
        availability_zone=f"us-east-1{{zone}}",
        opts=options,
    )
    for number, zone in enumerate("ab")
]
group = aws.ec2.SecurityGroup("efa", vpc_id=vpc.id, opts=options)
for rule in (aws.vpc.SecurityGroupIngressRule, aws.vpc.SecurityGroupEgressRule):
    rule(
        rule.__name__,
        security_group_id=group.id,
        referenced_security_group_id=group.id,
        ip_protocol="-1",
        opts=options,
    )
role = aws.iam.Role(
    "role",
    assume_role_policy=json.dumps(
        {{
            "Version": "2012-10-17",
            "Statement": [
                {{
                    "Effect": "Allow",
                    "Principal": {{"Service": ["eks.amazonaws.com", "ec2.amazonaws.com"]}},
                    "Action": "sts:AssumeRole",
                }}
            ],
        }}
    ),
    opts=options,
)
cards = [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 8))]
template = aws.ec2.LaunchTemplate(
    "gpu",
    name="toy-gpu",
    update_default_version=True,
    instance_type="p6-b200.48xlarge",
    network_interfaces=[
        {{
            "network_card_index": card,
            "device_index": device,
            "interface_type": kind,
            "security_groups": [group.id],
            "delete_on_termination": "true",
        }}
        for card, device, kind in cards
    ],
    metadata_options={{"http_tokens": "required", "http_put_response_hop_limit": 1}},
    opts=options,
)
cluster = aws.eks.Cluster(
    "cluster",
    name="toy",
    role_arn=role.arn,
    version="1.35",
    vpc_config={{"subnet_ids": [subnet.id for subnet in subnets]}},
    access_config={{"authentication_mode": "API"}},
    opts=options,
)
nodes = aws.eks.NodeGroup(
    "nodes",
    node_group_name="gpu",
    cluster_name=cluster.name,
    node_role_arn=role.arn,
    subnet_ids=[subnets[0].id],
    ami_type="{ami_type}",
    launch_template={{"id": template.id, "version": template.latest_version.apply(str)}},
    scaling_config={{"min_size": 0, "max_size": 2, "desired_size": {nodes}}},
    opts=pulumi.ResourceOptions(
        provider=provider, ignore_changes=["scalingConfig.desiredSize"], delete_before_replace=True
    ),
)
pulumi.export("endpoint", cluster.endpoint)
pulumi.export("authority", cluster.certificate_authority.data)
pulumi.export("scaling group", nodes.resources[0].autoscaling_groups[0].name)
"""
_NVIDIA = "AL2023_x86_64_NVIDIA"


class Toy:
    def __init__(self, lab: Sandbox, folder: Path) -> None:
        self.lab, self.folder = lab, folder

    def write(self, *, ami_type: str = _NVIDIA, nodes: int = 2, account: str = "123456789012") -> None:
        text = _PROGRAM.format(ami_type=ami_type, nodes=nodes, account=account)
        (self.folder / "__main__.py").write_text(textwrap.dedent(text))

    def pulumi(self, *arguments: str, check: bool = True) -> str:
        answer = self.lab.pulumi(*arguments, "--stack", "dev", cwd=self.folder, check=check)
        return answer.stdout + answer.stderr

    seen = 0

    def operations(self) -> list[str]:
        """Writing requests since the last call, by operation."""
        found = aws_cloud.requests(self.lab.directory)
        new, self.seen = found[self.seen :], len(found)
        assert [item for item in new if item["error"]] == []
        reading = ("Describe", "List", "Get")
        return [item["operation"] for item in new if not item["operation"].startswith(reading)]


@pytest.fixture(scope="module")
def toy(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    # A lab of its own: another test of this process may have given that of `engine` a cluster by now, whose
    # kubeconfig this would write over and then delete.
    assert engine
    lab = Sandbox.at(tmp_path_factory.mktemp("lab-aws")).directory
    cluster.prepare(lab, say=print)
    lab.kubeconfig.write_text(json.dumps(_KUBECONFIG))
    aws_cloud.up(lab)
    try:
        folder = tmp_path_factory.mktemp("toy-aws")
        (folder / "Pulumi.yaml").write_text(_PROJECT)
        # The sealed environment names the account's address only now.
        made = Toy(Sandbox.at(lab.root), folder)
        made.write()
        made.pulumi("stack", "init")
        yield made
    finally:
        aws_cloud.down(lab)
        assert processes.find(lab, processes.CLOUD) is None


_KUBECONFIG = {
    "clusters": [
        {
            "name": "lab",
            "cluster": {"server": "https://127.0.0.1:6443", "certificate-authority-data": "Q0E="},
        }
    ]
}


def test_a_program_lives_through_up_refresh_a_replacement_and_destroy(toy: Toy) -> None:
    preview = toy.pulumi("preview")
    assert "12 to create" in preview
    assert toy.operations() == []

    toy.pulumi("up", "--yes", "--skip-preview")
    outputs = json.loads(toy.pulumi("stack", "output", "--json"))
    assert (outputs["endpoint"], outputs["authority"]) == ("https://127.0.0.1:6443", "Q0E=")
    assert outputs["scaling group"].startswith("eks-gpu-")
    assert sorted(toy.operations()) == [
        "AuthorizeSecurityGroupEgress",
        "AuthorizeSecurityGroupIngress",
        "CreateCluster",
        "CreateLaunchTemplate",
        "CreateNodegroup",
        "CreateRole",
        "CreateSecurityGroup",
        "CreateSubnet",
        "CreateSubnet",
        "CreateVpc",
        # Terraform's provider takes away the rule that lets everything out.
        "RevokeSecurityGroupEgress",
    ]

    toy.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    toy.write(nodes=1)
    toy.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
    assert toy.operations() == []

    # The name is fixed, so the old group goes first.
    toy.write(ami_type="BOTTLEROCKET_x86_64_NVIDIA")
    toy.pulumi("up", "--yes", "--skip-preview")
    assert toy.operations() == ["DeleteNodegroup", "CreateNodegroup"]

    toy.write(ami_type="AL2023_ARM_64_NVIDIA")
    failure = toy.pulumi("up", "--yes", "--skip-preview", check=False)
    assert "is not a valid instance type for requested amiType AL2023_ARM_64_NVIDIA" in failure
    request = aws_cloud.requests(toy.lab.directory)[-1]
    assert (request["operation"], request["error"]) == ("CreateNodegroup", "InvalidParameterException")
    assert f"RequestID: {request['requestId']}" in failure
    toy.seen = len(aws_cloud.requests(toy.lab.directory))

    # Without `delete_before_replace` the engine would make the group again and then delete it as the old one.
    toy.write(ami_type="BOTTLEROCKET_x86_64_NVIDIA")
    toy.pulumi("up", "--yes", "--skip-preview")
    assert toy.operations() == ["CreateNodegroup"]

    toy.pulumi("destroy", "--yes", "--skip-preview")
    gone = toy.operations()
    assert gone.index("DeleteCluster") < gone.index("DeleteSubnet") < gone.index("DeleteVpc")
    assert toy.lab.resources("dev", toy.folder) == []


def test_another_account_stops_a_program_before_anything_is_made(toy: Toy) -> None:
    toy.seen = len(aws_cloud.requests(toy.lab.directory))
    toy.write(account="210987654321")
    output = toy.pulumi("up", "--yes", "--skip-preview", check=False)
    assert "AWS account ID not allowed: 123456789012" in output
    assert toy.operations() == []
