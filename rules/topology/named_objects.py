"""Names that pods use, and existing objects with a nearly equal name."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.claims import CLAIM
from rules.reading.devices import domains_of_template
from rules.reading.pods.containers import all_containers
from rules.reading.pods.pods import PodTemplate, may_be_one, read_pods, readable
from rules.reading.references import read_references
from rules.reading.shapes import Undecided, grouped, known, mappings_at, memoized, text_at
from rules.rule import EVERY_RELEASE, Advice, Said, Severity, Subjects, rule

_CLAIM_TEMPLATE = "ResourceClaimTemplate"
_ACCOUNT = "ServiceAccount"
_OPERATORS_VOLUME = "shared-memory"
"""What the operator mounts at /dev/shm (ai-dynamo/dynamo deploy/operator at 0367e40)."""
_COUNTED = re.compile(r"\d|(?<![a-z])[a-z](?![a-z])")
_HASH = re.compile(r"-(?=[a-z]*\d)[a-z0-9]{8,10}")
"""Ending that a tool gives a name for the content of its object."""

Name = tuple[str, str]
"""Kind and name of an object."""


@rule(
    # What only the update knows is no slip of the pen.
    Subjects(lambda graph: _named(graph).keys(), passed_over=(Undecided,)),
    severity=Severity.MANDATORY,
    reason=(
        "The API server refuses pods with a mount that has no volume, so that the operator makes none. A pod "
        "whose volume, Secret, ConfigMap, service account or claim template is missing stays Pending, or in "
        "CreateContainerConfigError: what stands beside it under nearly that name was meant (advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/storage/volumes/; "
        "https://kubernetes.io/docs/concepts/configuration/; kubernetes/kubernetes "
        "pkg/apis/core/validation/validation.go (ValidateVolumeMounts)"
    ),
    lines=EVERY_RELEASE,
    fix="Write one name in both places, in one namespace.",
)
def named_objects_exist(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """Named object is missing where one of nearly that name is there, or a mount has no volume."""
    for kind, name in _named(graph)[template]:
        is_there = _is_there(graph, template.resource, kind, name)
        yield from map(Advice, (_in_a_namespace if is_there else _where_it_is)(graph, template, kind, name))
    # The API server judges a workload's own mounts (values-accepted); of a graph only the pods are refused.
    if template.shape != "workload":
        yield from map(Advice, _unlisted_claims(template))
        yield from _unlisted_volumes(template)


def _where_it_is(graph: ResourceGraph, template: PodTemplate, kind: str, name: str) -> Iterator[str]:
    namespace = template.resource.namespace
    meant = _meant(graph, (template.resource.known_namespace, kind, name))
    if kind == _CLAIM_TEMPLATE and meant is None:
        meant = _channel_meant(graph, template, name)
    elsewhere = [place for made, place in _made(graph).get(kind, ()) if made == name]
    if meant is not None:
        yield f"names {kind} {name}; what was read makes {meant} and no {name}"
    elif elsewhere and kind != _CLAIM_TEMPLATE:
        made_in = f"which is made in namespace {elsewhere[0]}"
        yield f"names {kind} {name}, {made_in}, while its pods run in {namespace}"


def _in_a_namespace(graph: ResourceGraph, template: PodTemplate, kind: str, name: str) -> Iterator[str]:
    """What stands in a namespace by name, beside pods that leave theirs to kubectl."""
    owner = template.resource
    made = graph.kubernetes_objects_named(kind, name, owner.namespace)
    # Who names no namespace means default nearly always.
    written = (each.namespace for each in made)
    places = [place for place in written if isinstance(place, str) and place != "default"]
    if owner.origin is not None and owner.namespace is None and places and len(places) == len(made):
        where = f"which is made in namespace {places[0]}"
        yield f"names {kind} {name}, {where}, while nothing says that its pods run there"


# Many pods name one Secret.
@memoized
def _meant(graph: ResourceGraph, asked: tuple[str | None, str, str]) -> str | None:
    """Name of an object in the namespace that is nearly equal; None without one."""
    namespace, kind, name = asked
    near = _others(graph, namespace, kind, name)
    # Two letters are a slip only towards what nobody else names: that may be another object on purpose.
    free = [other for other in near if not _users(graph, namespace, (kind, other))]
    hashed = [other for other in near if other.startswith(name) and _HASH.fullmatch(other, len(name))]
    return slip_of(name, near) or slip_of(name, free, SLIPS) or (hashed[0] if len(hashed) == 1 else None)


def _channel_meant(graph: ResourceGraph, template: PodTemplate, name: str) -> str | None:
    """A file that brings compute domains along brings all that its pods claim."""
    namespace = template.resource.known_namespace
    near = _others(graph, namespace, _CLAIM_TEMPLATE, name)
    users = {other: _users(graph, namespace, (_CLAIM_TEMPLATE, other)) for other in near}
    free = next((other for other in near if not users[other]), None)
    # Beside the channel a pod may claim devices by a template that the cluster has.
    if free is not None or any(template in found for found in users.values()):
        return free
    of_graph = (other for other in near if any(user.resource is template.resource for user in users[other]))
    return next((other for other in of_graph if domains_of_template(graph, other)), None)


def _others(graph: ResourceGraph, namespace: str | None, kind: str, name: str) -> Sequence[str]:
    """Names of what is made of the kind in the namespace, but for those that differ in their count alone."""
    made = (other for other, place in _made(graph).get(kind, ()) if may_be_one(place, namespace))
    return [other for other in made if _words(other) != _words(name)]


def _users(graph: ResourceGraph, namespace: str | None, name: Name) -> Sequence[PodTemplate]:
    """The pods of the namespace that name an object."""
    users = _users_of(graph).get(name, ())
    return [each for each in users if may_be_one(each.resource.namespace, namespace)]


def _unlisted_claims(template: PodTemplate) -> Iterator[str]:
    """A v1alpha1 graph lists the claims that its services mount."""
    listed = {text_at(each, "name") or "" for each in mappings_at(template.graph_spec, "pvcs")}
    mounts = mappings_at(template.described_by, "volumeMounts") if template.shape == "service" else ()
    for name in (text_at(mount, "name") for mount in mounts):
        meant = None if name is None or name in listed else slip_of(name, listed, SLIPS)
        if meant is not None:
            yield f"its service mounts {name}; pvcs of the graph lists {meant}"


def _unlisted_volumes(template: PodTemplate) -> Iterator[str]:
    volumes = _volumes(template)
    for container_name, container in all_containers(template):
        for mount in mappings_at(container, "volumeMounts"):
            name = text_at(mount, "name")
            if name is not None and name not in volumes:
                has = ", ".join(sorted(volumes))
                yield f"container {container_name} mounts volume {name}; the pod and the graph have {has}"


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
def _made(graph: ResourceGraph) -> Mapping[str, Sequence[tuple[str, str | None]]]:
    """Kind -> name and namespace of what is made here; None for a namespace that may be any."""
    return grouped((kind, (name, resource.known_namespace)) for kind, name, resource in _makers(graph))


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
    found = {template: known(_names, template) for template in readable(read_pods(graph))}
    return {template: names for template, names in found.items() if names is not None}


@memoized
def _users_of(graph: ResourceGraph) -> Mapping[Name, Sequence[PodTemplate]]:
    return grouped((name, template) for template, names in _named(graph).items() for name in names)


def _names(template: PodTemplate) -> Sequence[Name]:
    claims = mappings_at(template.spec, "resourceClaims")
    named = (
        *((reference.kind, reference.name) for reference in read_references(template)),
        (_ACCOUNT, text_at(template.spec, "serviceAccountName")),
        *((_CLAIM_TEMPLATE, text_at(claim, "resourceClaimTemplateName")) for claim in claims),
    )
    return tuple(dict.fromkeys((kind, name) for kind, name in named if name is not None))


def _volumes(template: PodTemplate) -> frozenset[str]:
    """What containers can mount: the pod's volumes, and the operator's own, some made of claims."""
    listed: list[Mapping[str, Value]] = [{"name": _OPERATORS_VOLUME}, *mappings_at(template.spec, "volumes")]
    if template.shape == "service":
        listed += mappings_at(template.described_by, "volumeMounts")
        listed += mappings_at(template.graph_spec, "pvcs")
    return frozenset(name for each in listed if (name := text_at(each, "name")) is not None)


def _words(name: str) -> str:
    """The name without its distinguishing ending: equal for cache-1 and cache-2, cache-a and cache-b."""
    return _COUNTED.sub("", name)
