"""Names that pods use, and existing objects with a nearly equal name."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from resource_graph import Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.devices import domains_of_template, may_be_one
from rules.reading.memoized import memoized, memoized_for_each
from rules.reading.pods.containers import all_containers
from rules.reading.pods.pods import PodTemplate, read_pods, readable
from rules.reading.references import CLAIM, read_references
from rules.reading.shapes import Undecided, grouped, known, mappings_at, text_at
from rules.reading.spelling import slip_of
from rules.rule import graph_rule

_CLAIM_TEMPLATE = "ResourceClaimTemplate"
_ACCOUNT = "ServiceAccount"
_SLIPS = 2
_COUNTED = re.compile(r"\d|(?<![a-z])[a-z](?![a-z])")

Name = tuple[str, str]
"""Kind and name of an object."""


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "A pod whose volume, Secret, ConfigMap, service account or claim template is missing stays Pending, "
        "or in CreateContainerConfigError. What stands beside it under nearly that name was meant."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/ and https://kubernetes.io/docs/concepts/configuration/",
    lines=EVERY_RELEASE,
    fix="Write one name in both places, in one namespace.",
)
def named_objects_exist(graph: ResourceGraph) -> Iterator[Observation]:
    """Named object is missing, and one of nearly that name is there."""
    for template, names in _named(graph).items():
        # What only the update knows is no slip of the pen.
        with suppress(Undecided):
            for message in _slips(graph, template, names):
                yield failed(template.resource, template.name, message)


def _slips(graph: ResourceGraph, template: PodTemplate, names: Sequence[Name]) -> Iterator[str]:
    for kind, name in names:
        if not _is_there(graph, template.resource, kind, name):
            yield from _where_it_is(graph, template, kind, name)
    yield from _unlisted_claims(template)
    volumes = _volumes(template)
    for container_name, container in all_containers(template):
        for name, meant in _misspelt(mappings_at(container, "volumeMounts"), volumes):
            yield f"container {container_name} mounts volume {name}; the pod has {meant}"


def _where_it_is(graph: ResourceGraph, template: PodTemplate, kind: str, name: str) -> Iterator[str]:
    meant = _meant(graph, (_namespace(template.resource), kind, name))
    if kind == _CLAIM_TEMPLATE and meant is None:
        meant = _channel_meant(graph, template, name)
    elsewhere = _namespaces_of(graph).get((kind, name), ())
    if meant is not None:
        yield f"names {kind} {name}; what was read makes {meant} and no {name}"
    elif elsewhere and kind != _CLAIM_TEMPLATE:
        yield (
            f"names {kind} {name}, which is made in namespace {elsewhere[0]}, while its pods run in "
            f"{template.resource.namespace}"
        )


# Many pods name one Secret.
@memoized_for_each
def _meant(graph: ResourceGraph, asked: tuple[str | None, str, str]) -> str | None:
    """Name of an object in the namespace that is nearly equal; None without one."""
    namespace, kind, name = asked
    near = [other for other in _made_in(graph, namespace, kind) if _words(other) != _words(name)]
    named = _names_by_namespace(graph)[namespace]
    # Two letters are a slip only towards what nobody else names: that may be another object on purpose.
    free = [other for other in near if (kind, other) not in named]
    return slip_of(name, near) or slip_of(name, free, _SLIPS)


def _channel_meant(graph: ResourceGraph, template: PodTemplate, name: str) -> str | None:
    """A file that brings compute domains along brings all that its pods claim."""
    namespace = _namespace(template.resource)
    near = [each for each in _made_in(graph, namespace, _CLAIM_TEMPLATE) if _words(each) != _words(name)]
    named = _names_by_namespace(graph)[namespace]
    free = next((other for other in near if (_CLAIM_TEMPLATE, other) not in named), None)
    own = {each for kind, each in _named(graph)[template] if kind == _CLAIM_TEMPLATE}
    # Beside the channel a pod may claim devices by a template that the cluster has.
    if free is not None or own.intersection(near):
        return free
    of_graph = _named_by(graph)[template.resource.urn]
    return next(
        (
            other
            for other in near
            if domains_of_template(graph, other) and (_CLAIM_TEMPLATE, other) in of_graph
        ),
        None,
    )


def _unlisted_claims(template: PodTemplate) -> Iterator[str]:
    """A v1alpha1 graph lists the claims that its services mount."""
    listed = {text_at(each, "name") or "" for each in mappings_at(template.graph_spec, "pvcs")}
    mounts = mappings_at(template.described_by, "volumeMounts") if template.shape == "service" else ()
    for name, meant in _misspelt(mounts, listed):
        yield f"its service mounts {name}; pvcs of the graph lists {meant}"


def _misspelt(mounts: Sequence[Mapping[str, Value]], names: Collection[str]) -> Iterator[tuple[str, str]]:
    """The name of each mount that none of the names is, and the one that was meant."""
    for mount in mounts:
        name = text_at(mount, "name")
        meant = None if name is None or name in names else slip_of(name, names, _SLIPS)
        if name is not None and meant is not None:
            yield name, meant


def _is_there(graph: ResourceGraph, owner: Resource, kind: str, name: str) -> bool:
    if graph.kubernetes_objects_named(kind, name, owner.namespace):
        return True
    if kind == _CLAIM_TEMPLATE:
        return any(
            may_be_one(domain.namespace, owner.namespace) for domain in domains_of_template(graph, name)
        )
    made = mappings_at(owner.inputs, "spec", "pvcs") if kind == CLAIM else ()
    return any(entry.get("name") == name and entry.get("create") is True for entry in made)


@memoized
def _made(graph: ResourceGraph) -> Mapping[str, Mapping[str | None, Sequence[str]]]:
    """Kind -> namespace -> names of what is made there; None for a namespace that may be any."""
    found: dict[str, dict[str | None, list[str]]] = {}
    for kind, name, resource in _makers(graph):
        found.setdefault(kind, {}).setdefault(_namespace(resource), []).append(name)
    return found


def _made_in(graph: ResourceGraph, namespace: str | None, kind: str) -> Iterator[str]:
    made = _made(graph).get(kind, {})
    for place in made if namespace is None else (namespace, None):
        yield from made.get(place, ())


@memoized
def _namespaces_of(graph: ResourceGraph) -> Mapping[Name, Sequence[str | None]]:
    return grouped(((kind, name), _namespace(resource)) for kind, name, resource in _makers(graph))


def _makers(graph: ResourceGraph) -> Iterator[tuple[str, str, Resource]]:
    """Kind, name, and what makes an object of that name."""
    for kind in (CLAIM, "Secret", "ConfigMap", _ACCOUNT, _CLAIM_TEMPLATE):
        for resource in graph.kubernetes_objects(kind):
            if isinstance(resource.object_name, str):
                yield kind, resource.object_name, resource
    for domain in graph.kubernetes_objects("ComputeDomain"):
        name = known(text_at, domain.inputs, "spec", "channel", "resourceClaimTemplate", "name")
        if name is not None:
            yield _CLAIM_TEMPLATE, name, domain


@memoized
def _named(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[Name]]:
    """What each pod names; without those of which only the update knows a part."""
    found: dict[PodTemplate, Sequence[Name]] = {}
    for template in readable(read_pods(graph)):
        with suppress(Undecided):
            found[template] = tuple(dict.fromkeys(_names(template)))
    return found


@memoized
def _named_by(graph: ResourceGraph) -> Mapping[str, frozenset[Name]]:
    """What the pods of each graph or workload name, by its urn."""
    found = grouped((template.resource.urn, names) for template, names in _named(graph).items())
    return {urn: frozenset(chain.from_iterable(of_pods)) for urn, of_pods in found.items()}


@memoized
def _names_by_namespace(graph: ResourceGraph) -> Mapping[str | None, frozenset[Name]]:
    found = grouped((_namespace(template.resource), names) for template, names in _named(graph).items())
    everywhere = found.get(None, ())
    of_each = {place: frozenset(chain(*names, *everywhere)) for place, names in found.items()}
    return {**of_each, None: frozenset[Name]().union(*of_each.values())}


def _names(template: PodTemplate) -> Iterator[Name]:
    for reference in read_references(template):
        yield reference.kind, reference.name
    account = text_at(template.spec, "serviceAccountName")
    if account is not None:
        yield _ACCOUNT, account
    for claim in mappings_at(template.spec, "resourceClaims"):
        name = text_at(claim, "resourceClaimTemplateName")
        if name is not None:
            yield _CLAIM_TEMPLATE, name


def _volumes(template: PodTemplate) -> frozenset[str]:
    """What containers can mount: the pod's volumes, and the claims that the operator makes volumes of."""
    listed: list[Mapping[str, Value]] = [*mappings_at(template.spec, "volumes")]
    if template.shape == "service":
        listed += mappings_at(template.described_by, "volumeMounts")
        listed += mappings_at(template.graph_spec, "pvcs")
    return frozenset(name for each in listed if (name := text_at(each, "name")) is not None)


def _namespace(resource: Resource) -> str | None:
    return resource.namespace if isinstance(resource.namespace, str) else None


def _words(name: str) -> str:
    """The name without its distinguishing ending: equal for cache-1 and cache-2, cache-a and cache-b."""
    return _COUNTED.sub("", name)
