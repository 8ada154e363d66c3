"""Instances of node groups that fail, and Auto Scaling groups that cannot replace them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.account_client import client
from tests.support.faults import nodes
from tests.support.faults.kubectl import items

if TYPE_CHECKING:
    from lab.directory import LabDirectory


def terminate(lab: LabDirectory, node: str) -> None:
    """Lets the instance behind a node fail: its kubelet falls silent, EC2 ends it, the node goes with it.

    Its Auto Scaling group launches another one at once, unless it is held by `hold_launches`.
    """
    [found] = items(lab, "nodes", "--field-selector", f"metadata.name={node}")
    identifier = found["spec"]["providerID"].rpartition("/")[2]
    nodes.lose(lab, node)
    client(lab, "ec2").terminate_instances(InstanceIds=[identifier])


def hold_launches(lab: LabDirectory, cluster: str, node_group: str) -> None:
    """Lets nothing start in the group, as while EC2 has no machine to give."""
    name = _scaling_group(lab, cluster, node_group)
    client(lab, "autoscaling").suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])


def let_launch(lab: LabDirectory, cluster: str, node_group: str) -> None:
    """Lets the group launch what it is missing."""
    name = _scaling_group(lab, cluster, node_group)
    client(lab, "autoscaling").resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])


def _scaling_group(lab: LabDirectory, cluster: str, node_group: str) -> str:
    described = client(lab, "eks").describe_nodegroup(clusterName=cluster, nodegroupName=node_group)
    name: str = described["nodegroup"]["resources"]["autoScalingGroups"][0]["name"]
    return name
