"""A stack file's stack, built once in a lab of its own, and what a test looks at there."""

from dataclasses import dataclass
from typing import Any

from lab.account_client import client
from lab.environment import sealed_environment
from lab.rehearsal import Rehearsal, Step
from tests.serving_stacks.pods import pods_of
from tests.support.faults import nodes
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

NAMESPACE = "gpt-oss"
CLIQUE = "nvidia.com/gpu.clique"
_DOMAINS = "computedomains.resource.nvidia.com"


@dataclass(frozen=True)
class Expected:
    """What a stack must lead to."""

    stack: str
    graph: str
    gpus: dict[str, int]
    """Of the worker of each role."""
    pool: str
    nodes: int
    """Nodes with GPUs, all of which the workers use."""
    allocatable: dict[str, str]
    """Devices of each of these nodes."""
    claims: int = 0
    """Workers with a channel of the compute domain."""
    workers: int = 1
    """Of each role."""

    @property
    def node_group(self) -> str:
        """Of the pool."""
        return f"{self.stack}-{self.pool}"

    @property
    def gpu_nodes(self) -> set[str]:
        """Names of the nodes with GPUs."""
        return {f"{self.node_group}-{number}" for number in range(self.nodes)}

    @property
    def system_nodes(self) -> set[str]:
        """Where everything without GPUs belongs."""
        return {f"{self.stack}-system-{number}" for number in range(3)}


@dataclass(frozen=True)
class Shipped:
    """A stack file's stack, built."""

    run: Rehearsal
    expected: Expected
    file: bytes
    """What was committed when it began."""
    built: dict[str, Step]

    @property
    def lab(self) -> Sandbox:
        """The lab of this stack alone."""
        return Sandbox(self.run.lab, sealed_environment(self.run.lab))

    @property
    def stack(self) -> LabStack:
        """The stack in its lab."""
        return LabStack(self.lab, self.run.project, self.run.stack)

    def pods(self) -> dict[str, list[dict[str, Any]]]:
        """The graph's pods by role."""
        return pods_of(self.lab, self.expected.graph, NAMESPACE)

    def places(self) -> dict[str, str | None]:
        """The node of each role's worker that runs; None of one that waits."""
        pods = self.pods()
        found: dict[str, str | None] = {}
        for role in self.expected.gpus:
            [pod] = [each for each in pods.get(role, []) if "deletionTimestamp" not in each["metadata"]] or [
                {"spec": {}, "status": {"phase": "Pending"}}
            ]
            found[role] = pod["spec"].get("nodeName") if pod["status"]["phase"] == "Running" else None
        return found

    def nodes(self, group: str) -> set[str]:
        """Names of the nodes of a node group."""
        found = self.lab.get("nodes", "-l", f"eks.amazonaws.com/nodegroup={group}")["items"]
        return {node["metadata"]["name"] for node in found}

    def domain_nodes(self) -> set[str]:
        """The nodes that the compute domain connects."""
        domains = self.lab.get(_DOMAINS, "-n", NAMESPACE)["items"]
        return {node["name"] for domain in domains for node in domain["status"].get("nodes", [])}

    def lose(self, node: str) -> None:
        """The machine behind the node fails, and EC2 has no other one for now."""
        client(self.run.lab, "autoscaling").suspend_processes(**self._launches())
        identifier = self.lab.get("node", node)["spec"]["providerID"].rpartition("/")[2]
        # Its kubelet falls silent, EC2 ends it, the node goes with it.
        nodes.lose(self.lab, node)
        client(self.run.lab, "ec2").terminate_instances(InstanceIds=[identifier])

    def replace_lost(self) -> None:
        """EC2 has a machine again."""
        client(self.run.lab, "autoscaling").resume_processes(**self._launches())

    def _launches(self) -> dict[str, Any]:
        """Launches of the node group, as Auto Scaling is asked about them."""
        names = {"clusterName": self.run.stack, "nodegroupName": self.expected.node_group}
        described = client(self.run.lab, "eks").describe_nodegroup(**names)
        [group] = described["nodegroup"]["resources"]["autoScalingGroups"]
        return {"AutoScalingGroupName": group["name"], "ScalingProcesses": ["Launch"]}
