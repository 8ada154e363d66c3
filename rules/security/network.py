"""Who reaches the endpoints: the internet, and other pods of the cluster."""

from collections.abc import Iterator, Mapping
from typing import cast

from resource_graph import Resource, ResourceGraph
from rules.reading.engines.settings import load_engine_yaml
from rules.reading.shapes import Undecided, field, known_texts_at, mapping_at, text_at
from rules.rule import (
    EVERY_RELEASE,
    Observation,
    Severity,
    graph_rule,
    kubernetes_objects,
    resources,
    resources_of_type,
)

_WORLD = frozenset({"0.0.0.0/0", "::/0"})
_AWS_SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
_INTERNAL = {
    _AWS_SCHEME: ("internal",),
    "service.beta.kubernetes.io/aws-load-balancer-internal": ("true", "0.0.0.0/0"),
    "service.beta.kubernetes.io/azure-load-balancer-internal": ("true",),
    "networking.gke.io/load-balancer-type": ("Internal",),
}
_ALB = "alb.ingress.kubernetes.io/"
_CLUSTER = "aws:eks/cluster:Cluster"
_ADDON = "aws:eks/addon:Addon"
_CNI = "vpc-cni"
_SWITCH = "enableNetworkPolicy"


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
        (resources_of_type(_CLUSTER), _cluster),
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
    if text_at(spec, "loadBalancerClass") is not None and _AWS_SCHEME not in annotations:
        raise Undecided("is a load balancer whose class decides whether it is internal")
    yield f"is a load balancer open to {', '.join(ranges) or 'every address'}, and nothing makes it internal"


def _ingress(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    annotations = mapping_at(resource.inputs, "metadata", "annotations")
    scheme = text_at(annotations, f"{_ALB}scheme")
    if scheme == "internal":
        return
    allowed = text_at(annotations, f"{_ALB}inbound-cidrs")
    ranges = [each.strip() for each in allowed.split(",")] if allowed else []
    if ranges and _WORLD.isdisjoint(ranges):
        return
    if scheme is None:
        raise Undecided("nothing here says whether its controller can be reached from the internet")
    yield f"is {scheme}, open to {', '.join(ranges) or 'every address'}"


def _cluster(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    settings = mapping_at(resource.inputs, "vpcConfig")
    # Both defaults are EKS's own: public, and open to every address.
    if field(settings, "endpointPublicAccess") is False:
        return
    ranges = known_texts_at(settings, "publicAccessCidrs", what="a part of publicAccessCidrs")
    if not ranges or not _WORLD.isdisjoint(ranges):
        yield f"has an API endpoint open to {', '.join(ranges) or 'every address, the default'}"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The VPC CNI ignores every NetworkPolicy until it is told to enforce them, and nothing says so: the "
        "objects are there, and each pod of the cluster reaches frontend, NATS and etcd."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html (step 4); "
        "https://aws.github.io/amazon-vpc-cni-k8s/docs/network-policy-faq.html (off by default)"
    ),
    lines=EVERY_RELEASE,
    fix='Set configurationValues of the vpc-cni add-on to {"enableNetworkPolicy": "true"}.',
)
def network_policies_enforced(graph: ResourceGraph) -> Iterator[Observation]:
    """NetworkPolicies on EKS act on nothing."""
    if not graph.kubernetes_objects("NetworkPolicy"):
        return
    addons = [addon for addon in graph.of_type(_ADDON) if addon.inputs.get("addonName") == _CNI]
    if addons:
        yield from resources(lambda _: addons).judge(graph, _addon)
    else:
        yield from resources_of_type(_CLUSTER).judge(graph, _without_addon)


def _addon(_: ResourceGraph, addon: Resource) -> Iterator[str]:
    configured = load_engine_yaml(text_at(addon.inputs, "configurationValues") or "{}").content
    if not isinstance(configured, Mapping):
        raise Undecided("configurationValues is no mapping")
    value = cast("Mapping[str, object]", configured).get(_SWITCH)
    # The add-on's schema has a text; a truth value is what YAML makes of the same word.
    if str(value).lower() != "true":
        found = "has no" if value is None else "has"
        shown = _SWITCH if value is None else f"{_SWITCH}: {value}"
        yield f"{found} {shown} among its configurationValues, so no NetworkPolicy acts"


def _without_addon(_: ResourceGraph, cluster: Resource) -> Iterator[str]:
    if field(cluster.inputs, "bootstrapSelfManagedAddons") is False:
        raise Undecided(f"has no {_CNI} add-on here: another CNI decides")
    yield f"gets EKS's own {_CNI} without an add-on that sets {_SWITCH}, so no NetworkPolicy acts"
