"""Instances of node groups that fail, and Auto Scaling groups that cannot replace them."""

from lab.account_client import client
from tests.support.faults import nodes
from tests.support.sandbox import Sandbox


def terminate(lab: Sandbox, node: str) -> None:
    """Lets the instance behind a node fail: its kubelet falls silent, EC2 ends it, the node goes with it.

    Its Auto Scaling group launches another one at once, unless it is held by `hold_launches`.
    """
    identifier = lab.get("node", node)["spec"]["providerID"].rpartition("/")[2]
    nodes.lose(lab, node)
    client(lab.directory, "ec2").terminate_instances(InstanceIds=[identifier])


def hold_launches(lab: Sandbox, cluster: str, node_group: str) -> None:
    """Lets nothing start in the group, as while EC2 has no machine to give."""
    name = _scaling_group(lab, cluster, node_group)
    client(lab.directory, "autoscaling").suspend_processes(
        AutoScalingGroupName=name, ScalingProcesses=["Launch"]
    )


def let_launch(lab: Sandbox, cluster: str, node_group: str) -> None:
    """Lets the group launch what it is missing."""
    name = _scaling_group(lab, cluster, node_group)
    client(lab.directory, "autoscaling").resume_processes(
        AutoScalingGroupName=name, ScalingProcesses=["Launch"]
    )


def _scaling_group(lab: Sandbox, cluster: str, node_group: str) -> str:
    described = client(lab.directory, "eks").describe_nodegroup(clusterName=cluster, nodegroupName=node_group)
    name: str = described["nodegroup"]["resources"]["autoScalingGroups"][0]["name"]
    return name
