"""Node groups of the lab's account on a real control plane, and kubeconfigs that name the aws command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
import yaml

from lab import aws_cloud
from tests.lab.aws_provider.account import EKS, trust
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.lab

CLUSTER, REGION = "trial", "us-east-1"
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}


class Account:
    """The lab's account, with a cluster in it."""

    def __init__(self, lab: Sandbox, endpoint: str) -> None:
        self.lab = Sandbox.at(lab.directory.root)
        self._endpoint = endpoint
        self._session = botocore.session.get_session()
        ec2 = self.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"{REGION}{zone}")[
                "Subnet"
            ]["SubnetId"]
            for number, zone in enumerate("ab")
        ]
        role = self.client("iam").create_role(RoleName="any", AssumeRolePolicyDocument=trust(*EKS))
        self.role = role["Role"]["Arn"]
        self.client("eks").create_cluster(
            name=CLUSTER,
            roleArn=self.role,
            resourcesVpcConfig={"subnetIds": self.subnets},
            accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
            version="1.35",
        )

    def client(self, service: str) -> Any:
        return self._session.create_client(
            service,
            region_name=REGION,
            endpoint_url=self._endpoint,
            aws_access_key_id="lab",
            aws_secret_access_key="lab",
        )

    def make_group(self, name: str, nodes: int, **fields: Any) -> None:
        self.client("eks").create_nodegroup(
            clusterName=CLUSTER,
            nodegroupName=name,
            nodeRole=self.role,
            subnets=self.subnets,
            scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": nodes},
            **fields,
        )

    def change_group(self, name: str, **fields: Any) -> None:
        self.client("eks").update_nodegroup_config(clusterName=CLUSTER, nodegroupName=name, **fields)

    def delete_group(self, name: str) -> None:
        self.client("eks").delete_nodegroup(clusterName=CLUSTER, nodegroupName=name)

    def nodes(self, group: str) -> dict[str, Any]:
        found = self.lab.get("nodes", "-l", f"eks.amazonaws.com/nodegroup={group}")["items"]
        return {node["metadata"]["name"]: node for node in found}

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Waits for what the cluster shows."""
        until(happened, what, cluster=self.lab.directory)

    def kubeconfig(self, cluster: str = CLUSTER) -> str:
        """As EKS's own documentation writes it: the command gets the token."""
        described = self.client("eks").describe_cluster(name=CLUSTER)["cluster"]
        command = {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": "aws",
            "args": ["eks", "get-token", "--cluster-name", cluster, "--region", REGION],
            "interactiveMode": "Never",
        }
        entry = {
            "server": described["endpoint"],
            "certificate-authority-data": described["certificateAuthority"]["data"],
        }
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": entry}],
                "users": [{"name": "u", "user": {"exec": command}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "c",
            }
        )


@pytest.fixture(scope="module")
def account(lab: Sandbox) -> Iterator[Account]:
    endpoint = aws_cloud.up(lab.directory)
    try:
        yield Account(lab, endpoint)
    finally:
        aws_cloud.down(lab.directory)


def is_ready(node: dict[str, Any]) -> bool:
    conditions = {item["type"]: item["status"] for item in node["status"].get("conditions", [])}
    return conditions.get("Ready") == "True"


def test_nodes_come_with_a_group_change_with_it_and_go_with_it(account: Account) -> None:
    account.make_group("plain", 2, instanceTypes=["m7i.2xlarge"], labels={"team": "a"}, taints=[GPU_TAINT])
    account.until(lambda: len(account.nodes("plain")) == 2, "two nodes")
    account.until(lambda: all(map(is_ready, account.nodes("plain").values())), "nodes that are Ready")
    node = account.nodes("plain")["plain-0"]
    assert node["metadata"]["labels"]["team"] == "a"
    assert {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"} in node["spec"]["taints"]

    account.change_group("plain", labels={"removeLabels": ["team"]}, scalingConfig={"desiredSize": 1})
    account.until(lambda: list(account.nodes("plain")) == ["plain-0"], "one node left")
    account.until(
        lambda: "team" not in account.nodes("plain")["plain-0"]["metadata"]["labels"], "the label to go"
    )

    account.change_group("plain", scalingConfig={"desiredSize": 0})
    account.until(lambda: not account.nodes("plain"), "no node")
    account.delete_group("plain")
    assert "system-0" in account.lab.kubectl("get", "nodes", "-o", "name").stdout


def test_pods_move_when_their_node_leaves(account: Account) -> None:
    account.make_group("moving", 2, instanceTypes=["m7i.2xlarge"])
    account.until(lambda: all(map(is_ready, account.nodes("moving").values())), "nodes that are Ready")
    lab = account.lab
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "moving", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"app": "moving"}},
            "template": {
                "metadata": {"labels": {"app": "moving"}},
                "spec": {
                    "nodeSelector": {"eks.amazonaws.com/nodegroup": "moving"},
                    "containers": [{"name": "main", "image": "registry.example/x:1"}],
                },
            },
        },
    }
    lab.kubectl("create", "-f", "-", stdin=json.dumps(manifest))
    lab.kubectl("rollout", "status", "deployment/moving", "--timeout=60s")
    account.change_group("moving", scalingConfig={"desiredSize": 1})
    account.until(lambda: list(account.nodes("moving")) == ["moving-0"], "one node left")

    def places() -> set[str]:
        pods = lab.get("pods", "-l", "app=moving")["items"]
        return {pod["spec"].get("nodeName", "") for pod in pods if pod["status"]["phase"] == "Running"}

    account.until(lambda: places() == {"moving-0"}, "the pod on the node that stayed")
    lab.kubectl("delete", "deployment", "moving")
    account.delete_group("moving")
    account.until(lambda: not account.nodes("moving"), "no node")


def test_kubectl_and_helm_take_a_kubeconfig_that_names_the_aws_command(account: Account) -> None:
    lab = account.lab
    file = lab.directory.root / "exec-kubeconfig"
    file.write_text(account.kubeconfig())
    variables = {"KUBECONFIG": str(file)}
    assert "system-0" in lab.kubectl("get", "nodes", "-o", "name", variables=variables).stdout
    assert lab.run("helm", "list", "--all-namespaces", variables=variables).returncode == 0
    file.write_text(account.kubeconfig("another"))
    refused = lab.kubectl("get", "nodes", variables=variables, check=False)
    assert refused.returncode != 0
    assert "Unauthorized" in refused.stderr or "must be logged in" in refused.stderr
