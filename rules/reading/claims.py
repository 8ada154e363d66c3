"""Claims of volumes, and what is asked of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    known_texts_at,
    quantity,
    text_at,
)

CLAIM = "PersistentVolumeClaim"
_EBS_PROVISIONERS = frozenset({"ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com"})
# What EKS, OpenShift on AWS and their guides call classes of EBS volumes.
_EBS_NAMES = frozenset(
    {"gp2", "gp3", "io1", "io2", "ebs", "ebs-sc", "ebs-csi", "ebs-gp3", "auto-ebs-sc", "gp2-csi", "gp3-csi"}
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim; the volume may be larger than asked for."""

    resource: Resource
    name: str
    modes: tuple[str, ...]
    storage: Value
    storage_class: Value
    """Name of the storage class; None for the cluster's default. An empty text asks for an existing
    volume."""
    volume_name: Value

    @property
    def bytes(self) -> Fraction:
        """Size that the claim asks for, in bytes."""
        return quantity(self.storage, f"the size of claim {self.name}")


def find_claim(graph: ResourceGraph, owner: Resource, name: str) -> Claim | None:
    """The claim of that name that the owner's pods would get; None where no resource here makes the claim."""
    found = list(map(_claim, graph.kubernetes_objects_named(CLAIM, name, owner.namespace)))
    if len(found) > 1:
        raise Undecided(f"there are {len(found)} claims named {name}; the last one applied wins")
    return found[0] if found else None


def read_claims(graph: ResourceGraph) -> Iterator[Claim]:
    """All claims that can be read, in the order of the graph; the rest is said of the pods that mount it."""
    found = (known(_claim, resource) for resource in graph.kubernetes_objects(CLAIM))
    return (claim for claim in found if claim is not None)


def makes_ebs_volumes(graph: ResourceGraph, name: str) -> bool:
    """Whether the class makes volumes of Amazon EBS, each of which is in one zone."""
    defined = graph.kubernetes_objects_named("StorageClass", name, None)
    if not defined:
        return name in _EBS_NAMES
    return known(text_at, defined[0].inputs, "provisioner") in _EBS_PROVISIONERS


def _claim(resource: Resource) -> Claim:
    what = f"an access mode of claim {resource.name}"
    return Claim(
        resource=resource,
        name=resource.object_name if isinstance(resource.object_name, str) else resource.name,
        modes=tuple(known_texts_at(resource.inputs, "spec", "accessModes", what=what)),
        storage=field(resource.inputs, "spec", "resources", "requests", "storage"),
        storage_class=field(resource.inputs, "spec", "storageClassName"),
        volume_name=field(resource.inputs, "spec", "volumeName"),
    )
