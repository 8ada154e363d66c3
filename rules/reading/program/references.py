"""Other objects of the namespace that pods refer to by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at

CLAIM = "PersistentVolumeClaim"

Kind = Literal["PersistentVolumeClaim", "Secret", "ConfigMap"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that pods must find in their namespace."""

    kind: Kind
    name: str
    is_volume: bool = False
    """Mounted as files, not read into variables."""
    is_filled_by_pods: bool = False
    """A cache that the pods fill for themselves."""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def read_references(template: PodTemplate) -> Sequence[Reference]:
    """Everything that the template's pods refer to, each once.

    Raises:
        Undecided: a part of the template is unknown or not of the expected shape.
    """
    containers = (*template.containers, *mappings_at(template.spec, "initContainers"))
    found = [
        *_of_volumes(template),
        *(each for container in containers for each in _of_container(container)),
        *_named(mappings_at(template.spec, "imagePullSecrets"), "Secret"),
        *_of_service(template),
    ]
    return tuple(dict.fromkeys(found))


@once_per_graph
def graph_references(graph: ResourceGraph) -> Mapping[str, Sequence[Reference] | Undecided]:
    """URN of each Dynamo graph -> what the pods of all its services refer to, or why that is not known."""
    found: dict[str, Sequence[Reference] | Undecided] = {}
    for template in read_pods(graph):
        if template.resource.kind != GRAPH_KIND:
            continue
        known = found.get(template.resource.urn, ())
        if isinstance(known, Undecided):
            continue
        if isinstance(template, Unreadable):
            found[template.resource.urn] = Undecided(template.reason)
            continue
        try:
            found[template.resource.urn] = tuple(dict.fromkeys((*known, *read_references(template))))
        except Undecided as reason:
            found[template.resource.urn] = reason
    return found


def dynamo_graphs(graph: ResourceGraph) -> Sequence[tuple[Resource, Sequence[Reference] | Undecided]]:
    """Every Dynamo graph, with the same."""
    references = graph_references(graph)
    return [(each, references.get(each.urn, ())) for each in graph.kubernetes_objects(GRAPH_KIND)]


def _of_volumes(template: PodTemplate) -> Iterator[Reference]:
    for volume in mappings_at(template.spec, "volumes"):
        claim = text_at(volume, "persistentVolumeClaim", "claimName")
        if claim is not None:
            yield Reference(CLAIM, claim, is_volume=True)
        secret = text_at(volume, "secret", "secretName")
        if secret is not None:
            yield Reference("Secret", secret, is_volume=True)
        yield from _named([mapping_at(volume, "configMap")], "ConfigMap", is_volume=True)
        for source in mappings_at(volume, "projected", "sources"):
            yield from _named([mapping_at(source, "secret")], "Secret", is_volume=True)
            yield from _named([mapping_at(source, "configMap")], "ConfigMap", is_volume=True)


def _of_container(container: Mapping[str, Value]) -> Iterator[Reference]:
    yield from _of_variables(mappings_at(container, "env"))
    for source in mappings_at(container, "envFrom"):
        yield from _named([mapping_at(source, "secretRef")], "Secret")
        yield from _named([mapping_at(source, "configMapRef")], "ConfigMap")


def _of_variables(variables: Iterable[Mapping[str, Value]]) -> Iterator[Reference]:
    for variable in variables:
        source = variable.get("valueFrom")
        if isinstance(source, Mapping):
            yield from _named([mapping_at(source, "secretKeyRef")], "Secret")
            yield from _named([mapping_at(source, "configMapKeyRef")], "ConfigMap")


def _of_service(template: PodTemplate) -> Iterator[Reference]:
    """What the fields of Dynamo's own add."""
    service = template.described_by
    if template.shape == "service":
        yield from _of_variables(mappings_at(template.graph_spec, "envs"))
        yield from _of_variables(mappings_at(service, "envs"))
        secret = text_at(service, "envFromSecret")
        if secret is not None:
            yield Reference("Secret", secret)
        for mount in mappings_at(service, "volumeMounts"):
            name = text_at(mount, "name")
            if name is not None:
                fills = mount.get("useAsCompilationCache") is True
                yield Reference(CLAIM, name, is_volume=True, is_filled_by_pods=fills)
    elif template.shape == "component":
        yield from _of_variables(mappings_at(template.graph_spec, "env"))
        cache = text_at(service, "compilationCache", "pvcName")
        if cache is not None:
            yield Reference(CLAIM, cache, is_volume=True, is_filled_by_pods=True)


def _named(
    sources: Iterable[Mapping[str, Value]], kind: Kind, *, is_volume: bool = False
) -> Iterator[Reference]:
    for source in sources:
        name = text_at(source, "name")
        if name is not None and source.get("optional") is not True:
            yield Reference(kind, name, is_volume)
