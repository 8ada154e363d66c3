"""No container without a GPU is privileged."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.host_access import host_accesses, runs_an_engine
from rules.reading.pods.pods import PodTemplate, check_pods

NODE_AGENT = "DaemonSet"
"""Device plugins and drivers, whose work is the node itself."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.resource.kind == NODE_AGENT or runs_an_engine(graph, template):
        return
    for access in host_accesses(graph, template):
        if access.is_privilege:
            yield failed(template.resource, template.name, f"{access.what}, and serves no GPU")


RULE = Rule(
    id="no-privileged-containers",
    title="No container that serves no GPU is privileged",
    severity=Severity.ADVISORY,
    reason=(
        "Whoever gets into such a container has the node, with every token and every model on it; and "
        "namespaces under pod security baseline or restricted refuse the pod."
    ),
    source="https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline",
    lines=EVERY_RELEASE,
    fix="Drop privileged; a sysctl goes into the pod's securityContext.sysctls.",
    check=_check,
)
