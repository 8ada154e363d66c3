"""A graph that did not become ready, and a graph that the platform's webhook could not check."""

import re
from collections.abc import Sequence

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import CONVERSION_SIGN, GRAPHS, stored_name, why_not_ready
from failures.finding import Finding, Subject
from failures.pods import lost_node_reasons, pod_reasons
from failures.storage import CACHE_LOST, mounted_claims

WEBHOOK_SIGNS = ("failed calling webhook", "no endpoints available for service", CONVERSION_SIGN)
_SERVICE_OF_URL = re.compile(r"https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc")
_GONE = "operator-gone"
# Of the client that calls it (k8s.io/apiserver pkg/util/webhook), where Helm has taken the Service away.
_NO_SERVICE = re.compile(r'service "[a-z0-9-]+" not found')


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
        claims = mounted_claims(cluster, subject, pods)
        if lost:
            reasons, page = [*lost, *reasons], "gpu-node-lost"
        if claims:
            reasons, page = [*claims, *reasons], CACHE_LOST
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
    then = "run the same command again in a minute: it continues from here"
    gone = "bring the operator back as the runbook says, then run the same command again"
    if _NO_SERVICE.search(error):
        reasons, page, then = ["the platform's Helm release is gone, and the operator with it"], _GONE, gone
    elif pods is None or (pods and not pod_reasons(pods)):
        # Through 1.2 the operator reports ready before its webhook answers (ai-dynamo/dynamo#12255).
        reasons = ["the platform's webhook does not answer yet; nothing is lost"]
    elif pods:
        reasons = pod_reasons(pods)
    else:
        reasons, page, then = ["the operator has no pod: somebody scaled it down or deleted it"], _GONE, gone
    return Finding(
        title=f"graph {subject.name}",
        waits_for="the platform's webhook has looked at it; until then it is not made, changed or deleted",
        page=page,
        reasons=reasons,
        look=look,
        then=then,
    )


def _operators_words(cluster: ClusterReader, subject: Subject, pods: Sequence[KubernetesObject]) -> list[str]:
    words = [stored_name(cluster.get, GRAPHS), subject.name, "--namespace", str(subject.namespace)]
    graph = cluster.get(*words) or {}
    if not graph.get("status"):
        if pods:
            return ["every pod is ready, but the operator has reported nothing; its log says why"]
        return ["it has no pods: the operator has not acted on it; its log says why"]
    said = why_not_ready(graph)
    if said is None:
        return ["nothing: it is ready by now"]
    if pods:
        return [f"every pod is ready, but the operator says: {said}"]
    return [f"it has no pods, and the operator says: {said}"]
