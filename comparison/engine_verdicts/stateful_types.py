"""What holds more than the program could make again."""

from comparison.nested_values import value_at
from resource_graph import Resource

_KINDS = frozenset(
    {
        "CustomResourceDefinition",
        "Namespace",
        "PersistentVolume",
        "PersistentVolumeClaim",
    }
)
"""With a definition every object of its kind goes, with a namespace everything in it."""
_TYPES = frozenset(
    {
        "aws:ebs/volume:Volume",
        "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        "aws:efs/fileSystem:FileSystem",
        "aws:eks/cluster:Cluster",
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "aws:kms/key:Key",
        "aws:s3/bucket:Bucket",
    }
)


def is_stateful(resource: Resource) -> bool:
    """Return whether the resource holds data, a purchase, or all that lives in it."""
    return resource.type in _TYPES or resource.kind in _KINDS or _has_claims(resource)


def _has_claims(resource: Resource) -> bool:
    return resource.kind == "StatefulSet" and bool(value_at(resource.inputs, "spec", "volumeClaimTemplates"))
