"""Instances of node groups that fail, and Auto Scaling groups that cannot replace them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import botocore.session

from lab.environment import sealed_environment
from lab.faults import nodes
from lab.faults.kubectl import items

if TYPE_CHECKING:
    from lab.directory import LabDirectory


def terminate(lab: LabDirectory, node: str) -> None:
    """Lets the instance behind a node fail: its kubelet falls silent, EC2 ends it, the node goes with it.

    Its Auto Scaling group launches another one at once, unless it is held by `hold_launches`.
    """
    [found] = items(lab, "nodes", "--field-selector", f"metadata.name={node}")
    identifier = found["spec"]["providerID"].rpartition("/")[2]
    nodes.lose(lab, node)
    _client(lab, "ec2").terminate_instances(InstanceIds=[identifier])


def hold_launches(lab: LabDirectory, cluster: str, node_group: str) -> None:
    """Lets nothing start in the group, as while EC2 has no machine to give."""
    name = _scaling_group(lab, cluster, node_group)
    _client(lab, "autoscaling").suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])


def let_launch(lab: LabDirectory, cluster: str, node_group: str) -> None:
    """Lets the group launch what it is missing."""
    name = _scaling_group(lab, cluster, node_group)
    _client(lab, "autoscaling").resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])


def _scaling_group(lab: LabDirectory, cluster: str, node_group: str) -> str:
    described = _client(lab, "eks").describe_nodegroup(clusterName=cluster, nodegroupName=node_group)
    name: str = described["nodegroup"]["resources"]["autoScalingGroups"][0]["name"]
    return name


def _client(lab: LabDirectory, service: str) -> Any:
    variables = sealed_environment(lab)
    return botocore.session.Session().create_client(
        service,
        region_name=variables["AWS_REGION"],
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )
