"""Pods have roles of their own, not their node's."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity
from rules.reading.guarded import check_messages
from rules.reading.shapes import whole_number_at
from rules.security.imdsv2_required import TYPES

_REACHES_PODS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource_type in TYPES:
        yield from check_messages(graph.of_type(resource_type), _check_options)


def _check_options(resource: Resource) -> Iterator[str]:
    hops = whole_number_at(resource.inputs, "metadataOptions", "httpPutResponseHopLimit")
    if hops is not None and hops >= _REACHES_PODS:
        yield (
            f"has metadataOptions.httpPutResponseHopLimit: {hops}; 1 keeps the node's credentials from its "
            "pods"
        )


RULE = Rule(
    id="node-credentials-out-of-reach",
    title="Pods cannot fetch the credentials of their node",
    severity=Severity.ADVISORY,
    reason="Every pod of the node can do what the node's role may, such as attach network interfaces.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html",
    lines=EVERY_RELEASE,
    fix="Set the hop limit to 1 and give pods roles by EKS Pod Identity or service accounts.",
    check=_check,
)
