"""Names that pods use, and existing objects with a nearly equal name."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.devices import CLAIM_TEMPLATE, domains_by_template
from rules.reading.pods.containers import all_containers
from rules.reading.pods.pods import PodTemplate, in_namespace
from rules.reading.references import CLAIM, read_claims, read_references
from rules.reading.shapes import grouped, known, mappings_at, memoized, text_at
from rules.rule import EVERY_RELEASE, READABLE_PODS, Advice, Said, Severity, rule

_OPERATORS_VOLUME = "shared-memory"
"""What the operator mounts at /dev/shm (ai-dynamo/dynamo deploy/operator at 0367e40)."""
_COUNTED = re.compile(r"\d|(?<![a-z])[a-z](?![a-z])")


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "The API server refuses pods with a mount that has no volume, so that the operator makes none. A pod "
        "whose volume, Secret, ConfigMap or claim template is missing stays Pending, or in "
        "CreateContainerConfigError: what stands beside it under nearly that name was meant (advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/storage/volumes/; "
        "https://kubernetes.io/docs/concepts/configuration/; kubernetes/kubernetes "
        "pkg/apis/core/validation/validation.go (ValidateVolumeMounts)"
    ),
    lines=EVERY_RELEASE,
    fix="Write one name in both places.",
)
def named_objects_exist(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """Named object is missing where one of nearly that name is there, or a mount has no volume."""
    # What only the update knows is no slip of the pen.
    for kind, name in known(_names, template) or ():
        meant = _meant(graph, template.resource.known_namespace, kind, name)
        if meant is not None:
            yield Advice(f"names {kind} {name}; what was read makes {meant} and no {name}")
    # The API server judges a workload's own mounts (values-accepted); of a graph only the pods are refused.
    if template.shape != "workload":
        yield from map(Advice, _unlisted_claims(template))
        yield from _unlisted_volumes(template)


# Many pods name one Secret.
@memoized
def _meant(graph: ResourceGraph, namespace: str | None, kind: str, name: str) -> str | None:
    """A nearly equal name of what is made in the namespace; None where the very name is there."""
    made = in_namespace(_made(graph, kind), namespace)
    return None if name in made else slip_of(name, [each for each in made if _words(each) != _words(name)])


@memoized
def _made(graph: ResourceGraph, kind: str) -> Mapping[str | None, Sequence[str]]:
    """Namespace, None for one that may be any -> names of what is made there."""
    return grouped(_makers(graph, kind))


def _makers(graph: ResourceGraph, kind: str) -> Iterator[tuple[str | None, str]]:
    for claim in read_claims(graph) if kind == CLAIM else ():
        yield claim.resource.known_namespace, claim.name
    for resource in graph.kubernetes_objects(kind):
        if isinstance(resource.object_name, str):
            yield resource.known_namespace, resource.object_name
    for name, domains in domains_by_template(graph).items() if kind == CLAIM_TEMPLATE else ():
        yield from ((domain.known_namespace, name) for domain in domains)


def _names(template: PodTemplate) -> Sequence[tuple[str, str]]:
    """Kind and name of each object that the pods need."""
    claims = [
        text_at(each, "resourceClaimTemplateName") for each in mappings_at(template.spec, "resourceClaims")
    ]
    return (
        *((reference.kind, reference.name) for reference in read_references(template)),
        *((CLAIM_TEMPLATE, name) for name in claims if name is not None),
    )


def _words(name: str) -> str:
    """The name without its distinguishing ending: equal for cache-1 and cache-2, cache-a and cache-b."""
    return _COUNTED.sub("", name)


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


def _volumes(template: PodTemplate) -> frozenset[str]:
    """What containers can mount: the pod's volumes, and the operator's own, some made of claims."""
    listed: list[Mapping[str, Value]] = [{"name": _OPERATORS_VOLUME}, *mappings_at(template.spec, "volumes")]
    if template.shape == "service":
        listed += mappings_at(template.described_by, "volumeMounts")
        listed += mappings_at(template.graph_spec, "pvcs")
    return frozenset(name for each in listed if (name := text_at(each, "name")) is not None)
