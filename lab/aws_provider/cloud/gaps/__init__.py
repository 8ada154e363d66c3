"""Operations that moto lacks, or has so little of that a caller could not tell what it asked for."""

from lab.aws_provider.cloud.gaps import ec2, eks_clusters, eks_node_groups, fsx, others, scaling

__all__ = ["ec2", "eks_clusters", "eks_node_groups", "fsx", "others", "scaling"]
