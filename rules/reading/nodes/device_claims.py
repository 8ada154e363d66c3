"""What a pod's resource claims ask for, as far as the graph describes their templates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at

CHANNEL_DEVICE_CLASS = "compute-domain-default-channel.nvidia.com"

_DOMAIN_KIND = "ComputeDomain"
_TEMPLATE_KIND = "ResourceClaimTemplate"
_CLAIM_KIND = "ResourceClaim"


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """One claim of a pod."""

    name: str
    template: str | None
    """The ResourceClaimTemplate that it is made from; None for a claim that exists by itself."""
    device_classes: frozenset[str] | None
    """What its requests ask for; None where nothing in the graph describes it."""
    domain: Resource | None
    """The ComputeDomain whose controller makes the template."""
    used: bool
    """Whether a container of the pod has it in resources.claims."""

    @property
    def is_channel(self) -> bool:
        """Whether it is known to claim a compute domain's channel."""
        return self.device_classes is not None and CHANNEL_DEVICE_CLASS in self.device_classes


def read_device_claims(graph: ResourceGraph, template: PodTemplate) -> Sequence[DeviceClaim]:
    """All claims of the pod, in its order.

    Raises:
        Undecided: a claim has no readable shape.
    """
    remembered = _remembered(graph)
    if template not in remembered:
        used = frozenset(containers_claims(template))
        remembered[template] = [
            _device_claim(graph, template.resource.namespace, claim, used)
            for claim in mappings_at(template.spec, "resourceClaims")
        ]
    return remembered[template]


def containers_claims(template: PodTemplate) -> Iterator[str]:
    """Names of the claims that the pod's containers use."""
    # A v1alpha1 service has them beside its pod, everything else in the containers, of which one is enough.
    beside = (template.described_by,) if template.shape == "service" else ()
    for container in (*beside, *template.containers, *mappings_at(template.spec, "initContainers")):
        yield from (claim_name(claim) for claim in mappings_at(container, "resources", "claims"))


def claim_name(claim: Mapping[str, Value]) -> str:
    """The name by which pod and container mean one claim."""
    return text_at(claim, "name") or "unnamed claim"


def domains_of_template(graph: ResourceGraph, template: str) -> Sequence[Resource]:
    """The ComputeDomains, of any namespace, whose claim template has that name."""
    return _domains_by_template(graph).get(template, ())


def _device_claim(
    graph: ResourceGraph, namespace: Value, claim: Mapping[str, Value], used: frozenset[str]
) -> DeviceClaim:
    name, template = claim_name(claim), text_at(claim, "resourceClaimTemplateName")
    if template is None:
        by_itself = text_at(claim, "resourceClaimName")
        described = () if by_itself is None else _named(graph, _CLAIM_KIND, by_itself, namespace)
        classes = _device_classes(described, "spec")
        return DeviceClaim(name, None, classes, None, name in used)
    for domain in domains_of_template(graph, template):
        if may_be_one(domain.namespace, namespace):
            return DeviceClaim(name, template, frozenset({CHANNEL_DEVICE_CLASS}), domain, name in used)
    described = _named(graph, _TEMPLATE_KIND, template, namespace)
    return DeviceClaim(name, template, _device_classes(described, "spec", "spec"), None, name in used)


def may_be_one(left: Value, right: Value) -> bool:
    """Whether two namespaces can be the same; one that is absent or unknown may be any."""
    return not isinstance(left, str) or not isinstance(right, str) or left == right


def _named(graph: ResourceGraph, kind: str, name: str, namespace: Value) -> Sequence[Resource]:
    return graph.kubernetes_objects_named(kind, name, namespace)


def _device_classes(described: Sequence[Resource], *path: str) -> frozenset[str] | None:
    if not described:
        return None
    return frozenset(name for item in described for name in _requested(mapping_at(item.inputs, *path)))


def _requested(spec: Mapping[str, Value]) -> Iterator[str]:
    for request in mappings_at(spec, "devices", "requests"):
        # The name moved below `exactly` with resource.k8s.io/v1beta2.
        places = (request, mapping_at(request, "exactly"), *mappings_at(request, "firstAvailable"))
        for place in places:
            name = text_at(place, "deviceClassName")
            if name is not None:
                yield name


@once_per_graph
def _remembered(_: ResourceGraph) -> dict[PodTemplate, Sequence[DeviceClaim]]:
    # Six rules look at each pod's claims.
    return {}


@once_per_graph
def _domains_by_template(graph: ResourceGraph) -> Mapping[str, Sequence[Resource]]:
    domains: dict[str, list[Resource]] = {}
    for domain in graph.kubernetes_objects(_DOMAIN_KIND):
        try:
            template = text_at(domain.inputs, "spec", "channel", "resourceClaimTemplate", "name")
        except Undecided:
            # A pod that claims a template of that name finds it described by nothing, which is undecided.
            continue
        if template is not None:
            domains.setdefault(template, []).append(domain)
    return domains
