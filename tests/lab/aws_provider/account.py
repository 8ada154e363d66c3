"""The simulated account of a test process: clients, requests so far, and a network to build on."""

import functools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import botocore.session

from lab.aws_provider.provider import Provider
from lab.provider_service.values import Properties, plain_map, to_properties

REGION = "us-east-1"
EKS = ("eks.amazonaws.com", "ec2.amazonaws.com", "pods.eks.amazonaws.com")
_SESSION = botocore.session.get_session()


@dataclass(frozen=True)
class Network:
    """A VPC with subnets in three zones and a Local Zone, a security group and a role."""

    vpc: str
    subnets: dict[str, str]
    """By zone; us-east-1e is one that AWS's services avoid."""
    group: str
    role: str

    def in_zones(self, *zones: str) -> list[str]:
        """The subnets of these zones."""
        return [self.subnets[zone] for zone in zones]


@dataclass(frozen=True)
class Made:
    """A resource that a provider made."""

    urn: str
    id: str
    state: Properties
    inputs: Properties


@dataclass(frozen=True)
class Account:
    endpoint: str
    folder: Path
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)

    def client(self, service: str, region: str = REGION) -> Any:
        """A botocore client."""
        if (service, region) not in self._clients:
            self._clients[service, region] = _SESSION.create_client(
                service,
                region_name=region,
                endpoint_url=self.endpoint,
                aws_access_key_id="lab",
                aws_secret_access_key="lab",
            )
        return self._clients[service, region]

    def requests(self) -> list[dict[str, Any]]:
        """Every request so far."""
        return [json.loads(line) for line in (self.folder / "requests.jsonl").read_text().splitlines()]

    def provider(self, **inputs: Any) -> Provider:
        """A provider of this account, configured."""
        provider = Provider()
        given = {"region": REGION, "endpoints": json.dumps([{"ec2": self.endpoint}])}
        provider.configure(to_properties({**given, **inputs}))
        return provider

    @functools.cached_property
    def network(self) -> Network:
        """Made once."""
        ec2 = self.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        ec2.modify_availability_zone_group(GroupName="us-east-1-dfw-2", OptInStatus="opted-in")
        subnets = {
            zone: self.subnet(vpc, f"10.0.{number}.0/24", zone)
            for number, zone in enumerate(("us-east-1a", "us-east-1b", "us-east-1e", "us-east-1-dfw-2a"))
        }
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        return Network(vpc, subnets, group, self.role("any", *EKS))

    @functools.cached_property
    def cluster(self) -> str:
        """The name of a cluster that is made once."""
        self.client("eks").create_cluster(**self.cluster_request("shared"))
        return "shared"

    def subnet(self, vpc: str, block: str, zone: str) -> str:
        """A new subnet."""
        made = self.client("ec2").create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)
        return made["Subnet"]["SubnetId"]

    def cluster_request(self, name: str, **fields: Any) -> dict[str, Any]:
        """What CreateCluster takes."""
        access = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
        return {
            "name": name,
            "roleArn": self.network.role,
            "version": "1.35",
            "resourcesVpcConfig": {"subnetIds": self.network.in_zones("us-east-1a", "us-east-1b")},
            "accessConfig": access,
            **fields,
        }

    def group_request(self, name: str, size: int = 1, **fields: Any) -> dict[str, Any]:
        """What CreateNodegroup takes: nodes of the shared cluster, of three at most."""
        of_no_template = {} if "launchTemplate" in fields else {"instanceTypes": ["m7i.large"]}
        return {
            "clusterName": self.cluster,
            "nodegroupName": name,
            "nodeRole": self.network.role,
            "subnets": self.network.in_zones("us-east-1a"),
            "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
            **of_no_template,
            **fields,
        }

    def role(self, name: str, *services: str) -> str:
        """The ARN of a role that these services may take, and tag their sessions."""
        actions = ["sts:AssumeRole", "sts:TagSession"]
        statement = {"Effect": "Allow", "Principal": {"Service": list(services)}, "Action": actions}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        made = self.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=policy)
        return made["Role"]["Arn"]

    def template(self, name: str, **data: Any) -> dict[str, str]:
        """A launch template, as a node group names it."""
        made = self.client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
        return {"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"}


def make(provider: Provider, token: str, label: str, /, **inputs: Any) -> Made:
    """Checks and creates; a refused input fails the test."""
    urn = f"urn:pulumi:test::toy::{token}::{label}"
    checked, failures = provider.check(urn, {}, to_properties(inputs), b"seed")
    assert failures == []
    identifier, state = provider.create(urn, checked, seconds=0, preview=False)
    return Made(urn, identifier, state, checked)


def update(provider: Provider, made: Made, **inputs: Any) -> Made:
    """Changes inputs."""
    new = to_properties({**plain_map(made.inputs), **inputs})
    state = provider.update(
        made.urn, made.id, made.state, made.inputs, new, seconds=0, ignored=[], preview=False
    )
    return Made(made.urn, made.id, state, new)
