"""Who reaches the endpoints: the internet, and other pods of the cluster."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.reading.shapes import Undecided, field, known_texts_at, mapping_at, text_at
from rules.rule import (
    EVERY_RELEASE,
    Observation,
    Severity,
    Subjects,
    graph_rule,
    kubernetes_objects,
)

_WORLD = frozenset({"0.0.0.0/0", "::/0"})
_SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
_INTERNAL = {
    _SCHEME: ("internal",),
    "service.beta.kubernetes.io/aws-load-balancer-internal": ("true", "0.0.0.0/0"),
    "service.beta.kubernetes.io/azure-load-balancer-internal": ("true",),
    "service.beta.kubernetes.io/oci-load-balancer-internal": ("true",),
    "service.beta.kubernetes.io/openstack-internal-load-balancer": ("true",),
    "networking.gke.io/load-balancer-type": ("Internal",),
    "cloud.google.com/load-balancer-type": ("Internal",),
}
_ALB = "alb.ingress.kubernetes.io/"
_PUBLIC = "internet-facing"
_BY_DEFAULT = "GKE and AKS give it a public address, other clouds may not"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Frontend, NATS and etcd know no password: a stranger who reaches them uses the GPUs, reads the "
        "prompts of others, or ends the service."
    ),
    source=(
        "ai-dynamo/dynamo deploy/helm/charts/platform (no authentication in its values); "
        "https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html; "
        "https://docs.aws.amazon.com/securityhub/latest/userguide/eks-controls.html (EKS.1)"
    ),
    lines=EVERY_RELEASE,
    fix="Make it internal, or name the address ranges that need it, and put authentication before it.",
)
def no_public_endpoint(graph: ResourceGraph) -> Iterator[Observation]:
    """Endpoint is open to the whole internet."""
    for subjects, check in (
        (kubernetes_objects("Service"), _service),
        (kubernetes_objects("Ingress"), _ingress),
        (Subjects(lambda graph: graph.of_type("aws:eks/cluster:Cluster")), _cluster),
    ):
        yield from subjects.judge(graph, check)


def _service(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    spec = mapping_at(resource.inputs, "spec")
    if text_at(spec, "type") != "LoadBalancer":
        return
    annotations = mapping_at(resource.inputs, "metadata", "annotations")
    if any(text_at(annotations, key) in values for key, values in _INTERNAL.items()):
        return
    key = "loadBalancerSourceRanges"
    ranges = known_texts_at(spec, key, what=f"a part of {key}")
    if ranges and _WORLD.isdisjoint(ranges):
        return
    by, is_public = text_at(spec, "loadBalancerClass"), text_at(annotations, _SCHEME) == _PUBLIC
    if by is not None and not is_public:
        raise Undecided(f"is a load balancer of class {by}, which decides whether it is internal")
    known = f"is {_PUBLIC}" if is_public else f"nothing makes it internal: {_BY_DEFAULT}"
    yield f"is a load balancer open to {', '.join(ranges) or 'every address'}, and {known}"


def _ingress(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    annotations = mapping_at(resource.inputs, "metadata", "annotations")
    ranges = text_at(annotations, f"{_ALB}inbound-cidrs")
    if text_at(annotations, f"{_ALB}scheme") == _PUBLIC and not ranges:
        yield f"is {_PUBLIC}, open to every address"


def _cluster(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    settings = mapping_at(resource.inputs, "vpcConfig")
    # Both defaults are EKS's own: public, and open to every address.
    if field(settings, "endpointPublicAccess") is False:
        return
    ranges = known_texts_at(settings, "publicAccessCidrs", what="a part of publicAccessCidrs")
    if not ranges or not _WORLD.isdisjoint(ranges):
        yield f"has an API endpoint open to {', '.join(ranges) or 'every address, the default'}"
