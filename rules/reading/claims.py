"""Claims of volumes, and what is asked of them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    known_texts_at,
    mappings_at,
    memoized_all,
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
    """A claim that a program or a manifest makes; the volume may be larger than asked for."""

    resource: Resource
    """The claim, or the v1alpha1 graph that makes it."""
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
    if not found and owner.kind == GRAPH_KIND:
        found = [claim for claim in _made_by(owner) if claim.name == name]
    if len(found) > 1:
        raise Undecided(f"there are {len(found)} claims named {name}; the last one applied wins")
    return found[0] if found else None


@memoized_all
def read_claims(graph: ResourceGraph) -> Iterator[Claim]:
    """All claims that are made here and can be read, in the order of the graph."""
    for resource in (*graph.kubernetes_objects(CLAIM), *graph.kubernetes_objects(GRAPH_KIND)):
        # A finding about an unreadable claim is made for the pod that mounts it.
        with suppress(Undecided):
            yield from [_claim(resource)] if resource.kind == CLAIM else _made_by(resource)


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


def _made_by(graph_resource: Resource) -> Iterator[Claim]:
    """What a v1alpha1 graph lists with `create: true`."""
    for entry in mappings_at(graph_resource.inputs, "spec", "pvcs"):
        name = text_at(entry, "name")
        if name is not None and entry.get("create") is True:
            mode = text_at(entry, "volumeAccessMode")
            yield Claim(
                resource=graph_resource,
                name=name,
                modes=() if mode is None else (mode,),
                storage=field(entry, "size"),
                storage_class=field(entry, "storageClass"),
                volume_name=None,
            )
