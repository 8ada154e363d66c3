"""Nothing answers the whole internet."""

from collections.abc import Iterator, Sequence

from resource_graph import Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity
from rules.reading.guarded import check_messages
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at, texts_at

_WORLD = frozenset({"0.0.0.0/0", "::/0"})
_INTERNAL = {
    "service.beta.kubernetes.io/aws-load-balancer-scheme": ("internal",),
    "service.beta.kubernetes.io/aws-load-balancer-internal": ("true", "0.0.0.0/0"),
    "service.beta.kubernetes.io/azure-load-balancer-internal": ("true",),
    "networking.gke.io/load-balancer-type": ("Internal",),
}
_AWS_SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
_ALB = "alb.ingress.kubernetes.io/"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for kind, check in (("Service", _service), ("Ingress", _ingress), (GRAPH_KIND, _graph_ingress)):
        yield from check_messages(graph.kubernetes_objects(kind), check)
    for resource_type, check in (
        ("aws:eks/cluster:Cluster", _cluster),
        ("aws:ec2/securityGroup:SecurityGroup", _security_group),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", _ingress_rule),
        ("aws:ec2/securityGroupRule:SecurityGroupRule", _security_group_rule),
    ):
        yield from check_messages(graph.of_type(resource_type), check)


def _service(resource: Resource) -> Iterator[str]:
    spec = mapping_at(resource.inputs, "spec")
    if text_at(spec, "type") != "LoadBalancer":
        return
    annotations = mapping_at(resource.inputs, "metadata", "annotations")
    if any(text_at(annotations, key) in values for key, values in _INTERNAL.items()):
        return
    ranges = texts_at(spec, "loadBalancerSourceRanges")
    if None in ranges:
        raise Undecided("a part of loadBalancerSourceRanges is known only after the update")
    if ranges and _WORLD.isdisjoint(ranges):
        return
    if text_at(spec, "loadBalancerClass") is not None and _AWS_SCHEME not in annotations:
        raise Undecided("is a load balancer whose class decides whether it is internal")
    yield f"is a load balancer open to {_shown(ranges) or 'every address'}, and nothing makes it internal"


def _ingress(resource: Resource) -> Iterator[str]:
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
    yield f"is {scheme}, open to {_shown(ranges) or 'every address'}"


def _graph_ingress(resource: Resource) -> Iterator[str]:
    for name in mapping_at(resource.inputs, "spec", "services"):
        if field(resource.inputs, "spec", "services", name, "ingress", "enabled") is True:
            raise Undecided(
                f"service {name} asks for an Ingress, and nothing here says whether the internet reaches it"
            )
    yield from ()


def _cluster(resource: Resource) -> Iterator[str]:
    settings = mapping_at(resource.inputs, "vpcConfig")
    # Both defaults are EKS's own: public, and open to every address.
    if field(settings, "endpointPublicAccess") is False:
        return
    ranges = texts_at(settings, "publicAccessCidrs")
    if None in ranges:
        raise Undecided("a part of publicAccessCidrs is known only after the update")
    if not ranges or not _WORLD.isdisjoint(ranges):
        yield f"has an API endpoint open to {_shown(ranges) or 'every address, the default'}"


def _security_group(resource: Resource) -> Iterator[str]:
    for rule in mappings_at(resource.inputs, "ingress"):
        ranges = [*texts_at(rule, "cidrBlocks"), *texts_at(rule, "ipv6CidrBlocks")]
        yield from _open_ports(ranges, rule.get("fromPort"), rule.get("toPort"))


def _security_group_rule(resource: Resource) -> Iterator[str]:
    if text_at(resource.inputs, "type") == "ingress":
        ranges = [*texts_at(resource.inputs, "cidrBlocks"), *texts_at(resource.inputs, "ipv6CidrBlocks")]
        yield from _open_ports(ranges, resource.inputs.get("fromPort"), resource.inputs.get("toPort"))


def _ingress_rule(resource: Resource) -> Iterator[str]:
    ranges = [text_at(resource.inputs, "cidrIpv4"), text_at(resource.inputs, "cidrIpv6")]
    known = [each for each in ranges if each is not None]
    yield from _open_ports(known, resource.inputs.get("fromPort"), resource.inputs.get("toPort"))


def _open_ports(ranges: Sequence[str | None], first: Value, last: Value) -> Iterator[str]:
    if None in ranges:
        raise Undecided("an address range is known only after the update")
    if not _WORLD.isdisjoint(ranges):
        ports = f"port {first}" if first == last else f"ports {first} to {last}"
        yield f"lets {_shown(ranges)} in, on {'every port' if first is None else ports}"


def _shown(ranges: Sequence[str | None]) -> str:
    return ", ".join(each for each in ranges if each is not None)


RULE = Rule(
    id="no-public-endpoint",
    title="No endpoint is open to the whole internet",
    severity=Severity.MANDATORY,
    reason=(
        "Frontend, NATS and etcd ask nobody who they are: whoever reaches them uses the GPUs, reads what "
        "others asked, or ends the service."
    ),
    source=(
        "ai-dynamo/dynamo deploy/helm/charts/platform (no authentication in its values); "
        "https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html; "
        "https://docs.aws.amazon.com/securityhub/latest/userguide/eks-controls.html (EKS.1)"
    ),
    lines=EVERY_RELEASE,
    fix="Make it internal, or name the address ranges that need it, and put authentication before it.",
    check=_check,
)
