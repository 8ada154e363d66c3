"""Which EKS add-ons a planned cluster has, and their pinned builds."""

from collections.abc import Mapping

from components.storage_kinds import Efs, Lustre
from stacks.plan.infrastructure.plan import EksPlan
from stacks.plan.versions import EKS_ADDONS

DNS = "coredns"
EBS = "aws-ebs-csi-driver"
EFS = "aws-efs-csi-driver"
LUSTRE = "aws-fsx-csi-driver"
NODE_MONITORING = "eks-node-monitoring-agent"
BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
"""What nodes do not join without."""


def on_nodes(plan: EksPlan) -> tuple[str, ...]:
    """Return the add-ons that run on nodes, with the driver of the model cache's file system."""
    names = [DNS, EBS]
    if isinstance(plan.storage, Efs):
        names.append(EFS)
    if isinstance(plan.storage, Lustre):
        names.append(LUSTRE)
    if plan.node_monitoring:
        names.append(NODE_MONITORING)
    return tuple(names)


def builds(plan: EksPlan) -> Mapping[str, str]:
    """Return add-on -> build of all that the cluster has."""
    return {name: EKS_ADDONS[plan.version][name] for name in (*BEFORE_NODES, *on_nodes(plan))}
