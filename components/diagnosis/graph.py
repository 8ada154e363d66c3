"""A graph that did not become ready, and a graph that the platform's webhook could not check."""

import re
from collections.abc import Sequence

from components.diagnosis.cluster_reader import ClusterReader, KubernetesObject
from components.diagnosis.finding import Finding, Subject
from components.diagnosis.pods import lost_node_reasons, pod_reasons

WEBHOOK_SIGNS = ("failed calling webhook", "no endpoints available for service")
_SERVICE_OF_URL = re.compile(r"https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc")
_GRAPHS = "dynamographdeployments.nvidia.com"


def unready_graph(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return why the graph is not ready: its pods, their nodes, then its operator."""
    label = f"nvidia.com/dynamo-graph-deployment-name={subject.name}"
    words = ["pods", "--namespace", str(subject.namespace), "--selector", label]
    pods = cluster.items(*words)
    reasons: list[str] = []
    page = "graph-never-ready"
    if pods:
        reasons = pod_reasons(pods)
        lost = lost_node_reasons(cluster.items("nodes") or [], pods)
        if lost:
            reasons, page = [*lost, *reasons], "gpu-node-lost"
    if pods is not None and not reasons:
        reasons = _operators_words(cluster, subject, pods)
    return Finding(
        title=f"graph {subject.name}",
        waits_for="its operator reports the condition Ready: every worker has loaded the model",
        page=page,
        reasons=reasons,
        look=cluster.command("get", *words, "--output", "wide"),
    )


def unchecked_graph(cluster: ClusterReader, subject: Subject, error: str) -> Finding:
    """Return why the webhook did not answer: no operator, one that is not ready, or one that starts."""
    named = _SERVICE_OF_URL.search(error)
    service = cluster.get("service", named[1], "--namespace", named[2]) if named else None
    pods: Sequence[KubernetesObject] | None = None
    look, page = "", "webhook-down"
    if named and service:
        chosen = ",".join(f"{key}={value}" for key, value in service["spec"].get("selector", {}).items())
        words = ["pods", "--namespace", named[2], "--selector", chosen]
        pods, look = cluster.items(*words), cluster.command("get", *words)
    then = "run `pulumi up` again in a minute: it continues from here"
    if pods is None or (pods and not pod_reasons(pods)):
        # Through 1.2 the operator reports ready before its webhook answers (ai-dynamo/dynamo#12255).
        reasons = ["the platform's webhook does not answer yet; nothing is lost"]
    elif pods:
        reasons = pod_reasons(pods)
    else:
        reasons, page = ["the operator has no pod: somebody scaled it down or deleted it"], "operator-gone"
        then = "bring the operator back as the runbook says, then run `pulumi up` again"
    return Finding(
        title=f"graph {subject.name}",
        waits_for="the platform's webhook has checked it; until then it is not made or changed",
        page=page,
        reasons=reasons,
        look=look,
        then=then,
    )


def _operators_words(cluster: ClusterReader, subject: Subject, pods: Sequence[KubernetesObject]) -> list[str]:
    graph = cluster.get(_GRAPHS, subject.name, "--namespace", str(subject.namespace)) or {}
    for condition in graph.get("status", {}).get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] == "True":
            return ["nothing: it is ready by now"]
        if condition["type"] == "Ready" and pods:
            said = f"{condition.get('reason')} {condition.get('message', '')}".strip()
            return [f"every pod is ready, but the operator says: {said}"]
    if pods:
        return ["every pod is ready, but the operator has reported nothing; its log says why"]
    return ["it has no pods: the operator has not acted on it; its log says why"]
