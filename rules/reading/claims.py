"""Claims of volumes: what is asked for, and where containers mount them, or a directory of their node."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import PurePosixPath

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate
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


@dataclass(frozen=True, slots=True)
class Mount:
    """A claim, or a directory of the node, in a container."""

    claim: str | None
    """Name of the claim; None where only the update knows the name, or the mount is a directory of the
    node."""
    path: str
    read_only: bool
    node_path: str | None = None
    """Path of the mounted directory on the node; None for a claim."""

    def __str__(self) -> str:
        what = f"{self.node_path} of its node" if self.node_path else self.claim
        return f"{what} at {self.path}"

    def holds(self, path: str) -> bool:
        """Whether the path lies in the mount."""
        return is_within(path, self.path)


# Many containers name the same few.
@lru_cache(maxsize=4096)
def is_within(path: str, directory: str) -> bool:
    """Whether the path lies in the directory, or is the directory."""
    return PurePosixPath(path).is_relative_to(PurePosixPath(directory))


def read_mounts(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[Mount]:
    """The claims and directories of its node that a container mounts, with those of its Dynamo service."""
    volumes = {text_at(volume, "name"): volume for volume in mappings_at(template.spec, "volumes")}
    found: list[Mount] = []
    for mount in mappings_at(container, "volumeMounts"):
        path, volume = text_at(mount, "mountPath"), volumes.get(text_at(mount, "name"), {})
        directory, source = text_at(volume, "hostPath", "path"), volume.get("persistentVolumeClaim")
        read_only = mount.get("readOnly") is True
        if path is not None and directory is not None:
            found.append(Mount(None, path, read_only, directory))
        if path is not None and isinstance(source, Mapping):
            claim = source.get("claimName")
            read_only = read_only or source.get("readOnly") is True
            found.append(Mount(claim if isinstance(claim, str) else None, path, read_only))
    if template.shape == "service" and container is template.main:
        for mount in mappings_at(template.described_by, "volumeMounts"):
            path, name = text_at(mount, "mountPoint"), text_at(mount, "name")
            if path is not None and name is not None:
                found.append(Mount(name, path, read_only=False))
    return found


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
