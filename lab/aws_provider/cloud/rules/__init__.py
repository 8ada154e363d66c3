"""What AWS refuses although the shape of the request is right."""

from lab.aws_provider.cloud.rules import ec2_launches, ec2_networks, eks_clusters, eks_node_groups, others

__all__ = ["ec2_launches", "ec2_networks", "eks_clusters", "eks_node_groups", "others"]
