"""The resource types that the stand-in serves, by token; any other is refused."""

from __future__ import annotations

from lab.aws_provider.catalogue import (
    autoscaling,
    ec2_launch,
    ec2_networks,
    ec2_routes,
    ec2_security,
    efs,
    eks_access,
    eks_cluster,
    eks_nodes,
    fsx,
    iam,
    kms_and_logs,
)

_MODULES = (
    ec2_networks,
    ec2_routes,
    ec2_security,
    ec2_launch,
    iam,
    kms_and_logs,
    eks_cluster,
    eks_nodes,
    eks_access,
    autoscaling,
    efs,
    fsx,
)

TYPES = {kind.pulumi_type: kind for module in _MODULES for kind in module.TYPES}
