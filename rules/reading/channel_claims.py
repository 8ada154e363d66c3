"""Which worker pods claim the channel of a compute domain, and for whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import ResourceGraph, Value
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at, whole_number_at
from rules.reading.workers import Worker

CHANNEL_DEVICE_CLASS = "compute-domain-default-channel.nvidia.com"

_DOMAIN_KIND = "ComputeDomain"
_TEMPLATE_KIND = "ResourceClaimTemplate"


@dataclass(frozen=True, slots=True)
class ChannelClaims:
    """What one worker pod says of compute-domain channels."""

    by_pod: frozenset[str]
    """Names under which the pod claims a channel."""
    by_container: frozenset[str]
    """Claims that its containers use, channels or not."""
    pod_claims: frozenset[str]
    """Names of all claims of the pod."""


def read_channel_claims(graph: ResourceGraph, worker: Worker) -> ChannelClaims:
    """The claims of the worker's pod and of its containers.

    Raises:
        Undecided: a claim's template is neither a ComputeDomain's nor described in the graph.
    """
    claims = mappings_at(worker.pod, "resourceClaims")
    channels = {_name(claim) for claim in claims if _is_channel(graph, worker, claim)}
    return ChannelClaims(
        by_pod=frozenset(channels),
        by_container=frozenset(_container_claims(worker)),
        pod_claims=frozenset(_name(claim) for claim in claims),
    )


def claiming_pods(worker: Worker) -> int:
    """How many pods of the worker run at once."""
    replicas = whole_number_at(worker.described_by, "replicas")
    return (1 if replicas is None else replicas) * worker.pods_per_worker


def _container_claims(worker: Worker) -> Iterator[str]:
    # A v1alpha1 service has them beside its pod, everything else in the containers, of which one is enough.
    containers: Sequence[Mapping[str, Value]] = (
        worker.described_by,
        worker.container,
        *mappings_at(worker.pod, "containers"),
    )
    for container in containers:
        yield from (_name(claim) for claim in mappings_at(container, "resources", "claims"))


def _is_channel(graph: ResourceGraph, worker: Worker, claim: Mapping[str, Value]) -> bool:
    template = text_at(claim, "resourceClaimTemplateName")
    if template is None:
        # A claim made by hand: its devices are in no template of the graph.
        return False
    namespace = worker.resource.namespace
    for domain in graph.kubernetes_objects(_DOMAIN_KIND):
        made = text_at(domain.inputs, "spec", "channel", "resourceClaimTemplate", "name")
        if made == template and _may_be_one(domain.namespace, namespace):
            return True
    described = graph.kubernetes_objects_named(_TEMPLATE_KIND, template, namespace)
    if not described:
        raise Undecided(
            f"nothing here says what the claim template {template} asks for; if it is a compute domain's, "
            "judge its ComputeDomain together with the graph"
        )
    return any(CHANNEL_DEVICE_CLASS in _device_classes(item.inputs) for item in described)


def _device_classes(template: Mapping[str, Value]) -> Iterator[str]:
    for request in mappings_at(template, "spec", "spec", "devices", "requests"):
        # The name moved below `exactly` with resource.k8s.io/v1beta2.
        for place in (request, mapping_at(request, "exactly")):
            name = text_at(place, "deviceClassName")
            if name is not None:
                yield name


def _may_be_one(left: Value, right: Value) -> bool:
    return not isinstance(left, str) or not isinstance(right, str) or left == right


def _name(claim: Mapping[str, Value]) -> str:
    return text_at(claim, "name") or "unnamed claim"
