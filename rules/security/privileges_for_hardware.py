"""What lets a pod out of its isolation is shown, with who says that its hardware needs it."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.host_access import host_accesses, runs_an_engine
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.security.no_privileged_containers import NODE_AGENT


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for access in host_accesses(graph, template):
        if template.resource.kind == NODE_AGENT:
            yield failed(template.resource, template.name, f"{access.what}, as an agent of the node")
        elif access.asked_by is not None:
            yield failed(template.resource, template.name, f"{access.what}, for {access.asked_by}")
        elif not access.is_privilege or runs_an_engine(graph, template):
            what = f"{access.what}, which no KV transport of this pod asks for"
            yield failed(template.resource, template.name, what)


RULE = Rule(
    id="privileges-for-hardware",
    title="A pod is let out of its isolation only as far as its hardware asks for",
    severity=Severity.ADVISORY,
    reason=(
        "Who gets into such a container has the node, with every token and every model on it. Some ways of "
        "the KV cache, and the agents of a node, are documented with more privileges than an ordinary pod; "
        "sources disagree on how many are needed, so each is worth a try without."
    ),
    source=(
        "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2 and examples/deployments/EKS "
        "at 4a28569; vllm-project/vllm#52607"
    ),
    lines=EVERY_RELEASE,
    fix="Try the capability IPC_LOCK alone, or DRANET (device class efa.networking.k8s.aws) for EFA.",
    check=_check,
)
