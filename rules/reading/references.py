"""What pods refer to by name: claims, Secrets and ConfigMaps; and the Jobs that fill what is empty."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.benchmarks import read_benchmarks
from rules.reading.pods.containers import environment_entries
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, each_readable, pods_by_resource, pods_near
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    known_texts_at,
    mapping_at,
    mappings_at,
    memoized,
    quantity,
    text_at,
)

CLAIM = "PersistentVolumeClaim"
_EBS_PROVISIONERS = frozenset({"ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com"})
# What EKS, OpenShift on AWS and their guides call classes of EBS volumes.
_EBS_NAMES = frozenset(
    {"gp2", "gp3", "io1", "io2", "ebs", "ebs-sc", "ebs-csi", "ebs-gp3", "auto-ebs-sc", "gp2-csi", "gp3-csi"}
)
Kind = Literal["PersistentVolumeClaim", "Secret", "ConfigMap"]
STACK_REFERENCE = "pulumi:pulumi:StackReference"
"""Type of the resource that a stack registers to read another stack's outputs."""
_NAMED_BY: Mapping[str, Kind] = {
    **dict.fromkeys(("secret", "secretRef", "secretKeyRef"), "Secret"),
    **dict.fromkeys(("configMap", "configMapRef", "configMapKeyRef"), "ConfigMap"),
}
"""Field of a source of volumes or variables -> kind of the object that the field names."""


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


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that pods must find in their namespace."""

    kind: Kind
    name: str
    is_filled_by_pods: bool = False
    """Whether the claim is a cache that the pods fill for themselves."""


def read_references(template: PodTemplate) -> Sequence[Reference]:
    """Everything that the template's pods refer to, each once."""
    found = [
        *_of_volumes(template),
        *(each for container in template.all_containers for each in _of_container(template, container)),
        *_in_sources({"secretRef": each} for each in mappings_at(template.spec, "imagePullSecrets")),
        *_of_service(template),
    ]
    return tuple(dict.fromkeys(found))


@memoized
def references_of(graph: ResourceGraph, urn: str) -> Sequence[Reference]:
    """What the pods of all services of a Dynamo graph refer to by name, each once."""
    pods = each_readable(pods_by_resource(graph).get(urn, ()))
    return tuple(dict.fromkeys(reference for pod in pods for reference in read_references(pod)))


def cache_uses(graph: ResourceGraph, owner: Resource) -> Mapping[str, Sequence[Resource]]:
    """Claim that a Dynamo graph expects to be filled -> the Jobs that may fill it.

    Jobs that run after the graph only read.
    """
    references = references_of(graph, owner.urn)
    # A benchmark mounts the cache for the tokenizer, and has nothing to put there.
    benchmarks = {each.resource.urn for each in read_benchmarks(graph)}
    # For an unreadable Job the graph's rule says that nothing fills the claim.
    jobs = [
        (each.resource, known(read_references, each) or ())
        for each in pods_near(graph, owner.namespace)
        if each.resource.kind == "Job" and each.resource.urn not in benchmarks
    ]
    own = {each.name for each in references if each.is_filled_by_pods}
    claims = [each for each in references if each.kind == CLAIM and each.name not in own]
    return {
        claim.name: [
            job for job, found in jobs if claim in found and owner.urn not in graph.dependencies_of(job)
        ]
        for claim in claims
    }


@memoized
def cache_fillers(graph: ResourceGraph) -> Sequence[Resource]:
    """Every Job that may fill a Dynamo graph's cache, each once."""
    uses = (known(cache_uses, graph, each) or {} for each in graph.kubernetes_objects(GRAPH_KIND))
    return tuple({job.urn: job for use in uses for jobs in use.values() for job in jobs}.values())


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


def _of_volumes(template: PodTemplate) -> Iterator[Reference]:
    for volume in mappings_at(template.spec, "volumes"):
        yield from _called(text_at(volume, "persistentVolumeClaim", "claimName"), CLAIM)
        yield from _called(text_at(volume, "secret", "secretName"), "Secret")
        yield from _in_sources([volume, *mappings_at(volume, "projected", "sources")])


def _of_container(template: PodTemplate, container: Mapping[str, Value]) -> Iterator[Reference]:
    variables = (each.get("valueFrom") for each in environment_entries(template, container))
    yield from _in_sources(source for source in variables if isinstance(source, Mapping))
    yield from _in_sources(mappings_at(container, "envFrom"))


def _of_service(template: PodTemplate) -> Iterator[Reference]:
    """References in the fields that Dynamo adds to a service."""
    service = template.described_by
    if template.shape == "service":
        yield from _called(text_at(service, "envFromSecret"), "Secret")
        for mount in mappings_at(service, "volumeMounts"):
            fills = mount.get("useAsCompilationCache") is True
            yield from _called(text_at(mount, "name"), CLAIM, is_filled_by_pods=fills)
    elif template.shape == "component":
        cache = text_at(service, "compilationCache", "pvcName")
        yield from _called(cache, CLAIM, is_filled_by_pods=True)


def _in_sources(sources: Iterable[Mapping[str, Value]]) -> Iterator[Reference]:
    """What sources of volumes and variables cannot do without."""
    for source in sources:
        for key, kind in _NAMED_BY.items():
            named = mapping_at(source, key)
            if named.get("optional") is not True:
                yield from _called(text_at(named, "name"), kind)


def _called(name: str | None, kind: Kind, *, is_filled_by_pods: bool = False) -> Iterator[Reference]:
    if name is not None:
        yield Reference(kind, name, is_filled_by_pods)
