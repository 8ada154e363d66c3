"""Storage classes that the graph defines, or that are known by name."""

from resource_graph import ResourceGraph
from rules.reading.shapes import Undecided, text_at

_EBS_PROVISIONER = "ebs.csi.aws.com"

# What EKS and its guides call classes of EBS volumes.
_EBS_NAMES = frozenset({"gp2", "gp3", "io1", "io2", "ebs", "ebs-sc", "ebs-csi", "ebs-gp3", "auto-ebs-sc"})


def makes_ebs_volumes(graph: ResourceGraph, name: str) -> bool:
    """Whether the class makes volumes of Amazon EBS, each of which is in one zone."""
    defined = graph.kubernetes_objects_named("StorageClass", name, None)
    if not defined:
        return name in _EBS_NAMES
    try:
        return text_at(defined[0].inputs, "provisioner") == _EBS_PROVISIONER
    except Undecided:
        return False
