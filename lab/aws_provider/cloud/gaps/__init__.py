"""Operations that moto lacks, or has so little of that a caller could not tell what it asked for."""

from lab.aws_provider.cloud.gaps import (
    autoscaling,
    ec2_capacity,
    ec2_placement_groups,
    ec2_zones,
    eks_access,
    eks_addons,
    eks_clusters,
    eks_node_groups,
    eks_tags,
    fsx,
    logs,
    lost_instances,
    scaling_activities,
    service_quotas,
    sts,
)
from lab.aws_provider.cloud.gaps.registry import HANDLERS

__all__ = [
    "HANDLERS",
    "autoscaling",
    "ec2_capacity",
    "ec2_placement_groups",
    "ec2_zones",
    "eks_access",
    "eks_addons",
    "eks_clusters",
    "eks_node_groups",
    "eks_tags",
    "fsx",
    "logs",
    "lost_instances",
    "scaling_activities",
    "service_quotas",
    "sts",
]
