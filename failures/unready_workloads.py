"""Explains why a graph, GPU nodes, a Job, servers or the Helm release are not ready."""

import re
from collections.abc import Sequence
from typing import Any

from components.cluster_answer import (
    DEPLOYMENTS,
    JOBS,
    NODES,
    PODS,
    SERVICES,
    KubernetesObject,
    Objects,
    condition_of,
    labels_of,
)
from components.cluster_reader import ClusterReader
from components.dynamo_objects import CONVERSION_SIGN, GRAPH_KIND, GRAPH_OBJECTS, why_not_ready
from components.gpu_nodes_ready import BOUGHT, GPU_COUNT_LABEL, NODE_GROUP_LABEL, NODES_OF_POOL
from failures.claims import LOST_PAGE, UNBOUND_PAGE, mounted_claims
from failures.explanation import Explanation, Subject
from failures.pods_and_events import (
    NAME_LABEL,
    allocatable_gpus,
    find_pods,
    is_ready,
    lost_node_reasons,
    pod_causes,
    pod_reasons,
    refused_pods,
)

WEBHOOK_SIGNS = ("failed calling webhook", "no endpoints available for service", CONVERSION_SIGN)
_SERVICE_OF_URL = re.compile(r"https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc")
_GONE = "operator-gone"
# The webhook's client (k8s.io/apiserver pkg/util/webhook) says so where Helm has taken the Service away.
_NO_SERVICE = re.compile(r'service "[a-z0-9-]+" not found')


def unready_serving(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why a graph or a server is not ready: claims, nodes, pods, then its operator.

    Deployments stand for the nodes of a pool too.
    """
    if subject.name.startswith(NODES_OF_POOL):
        return missing_gpu_nodes(cluster, subject)
    own, found = find_pods(cluster, subject)
    pods = found.items
    lost = lost_node_reasons(cluster, pods)
    claims = mounted_claims(cluster, subject, pods)
    refused = refused_pods(cluster, subject.name, str(subject.namespace))
    reasons = [*claims, *lost, *refused, *pod_causes(cluster, pods)]
    is_graph = subject.kind == GRAPH_KIND
    if is_graph and found.is_known and not reasons:
        reasons = _operator_says(cluster, subject, pods)
    ready = "its operator reports the condition Ready" if is_graph else "every server answers /health"
    return Explanation(
        title=f"{'graph' if is_graph else 'server'} {subject.name}",
        waits_for=f"{ready}: every worker has loaded the model",
        page=LOST_PAGE if claims else "gpu-node-lost" if lost else "graph-never-ready",
        reasons=reasons,
        look=cluster.shown(own, "--output", "wide"),
    )


def unchecked_graph(cluster: ClusterReader, subject: Subject, error: str) -> Explanation:
    """Return why the webhook did not answer: no operator, one that is not ready, or one that starts."""
    named = _SERVICE_OF_URL.search(error)
    service = cluster.ask(SERVICES, named[1], named[2]).first if named else None
    pods: Sequence[KubernetesObject] | None = None
    look, page = "", "webhook-down"
    if named and service:
        chosen = ",".join(f"{key}={value}" for key, value in service["spec"].get("selector", {}).items())
        own = Objects(PODS, namespace=named[2], labels=chosen)
        answer, look = cluster.find(own), cluster.shown(own)
        pods = answer.items if answer.is_known else None
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
    return Explanation(
        title=f"graph {subject.name}",
        waits_for="the platform's webhook has looked at it; until then it is not made, changed or deleted",
        page=page,
        reasons=reasons,
        look=look,
        then=then,
    )


def unfinished_job(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why the Job that fills or checks the model cache is not complete."""
    own, found = find_pods(cluster, subject)
    failed = condition_of(cluster.ask(JOBS, subject.name, subject.namespace).first or {}, "Failed")
    reasons: list[str] = []
    if failed.get("status") == "True":
        reasons.append(f"it failed for good: {failed.get('reason')}, {failed.get('message', '')}")
    unfinished = [pod for pod in found.items if pod.get("status", {}).get("phase") != "Succeeded"]
    claims = mounted_claims(cluster, subject, unfinished)
    return Explanation(
        title=f"Job {subject.name}",
        waits_for="the model cache holds every file",
        page=UNBOUND_PAGE if claims else "download-failed",
        reasons=[*reasons, *claims, *pod_reasons(unfinished)],
        look=cluster.command("logs", *own.where, "--prefix", "--tail=20"),
        then=(
            "mend that, then run `pulumi up` again: it replaces the Job, and what is on the volume "
            "is not downloaded twice"
        ),
    )


def unfilled_nodes(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why some node has no copy of the model."""
    own, found = find_pods(cluster, subject)
    lost = lost_node_reasons(cluster, found.items)
    return Explanation(
        title=f"DaemonSet {subject.name}",
        waits_for="every GPU node has a copy of the model",
        page="gpu-node-lost" if lost else "download-failed",
        reasons=[*lost, *pod_reasons(found.items)],
        look=cluster.command("logs", *own.where, "--all-containers", "--prefix", "--tail=20"),
        then=(
            "mend that; its pods try again by themselves, and `pulumi up` waits for them again: what is on a "
            "node is not downloaded twice"
        ),
    )


def unready_servers(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why members of NATS or etcd are not ready."""
    own, found = find_pods(cluster, subject)
    lost = lost_node_reasons(cluster, found.items)
    kind = "etcd" if subject.name.endswith("etcd") else "nats"
    return Explanation(
        title=f"servers {subject.name}",
        waits_for="every member runs and is ready",
        page="system-node-lost" if lost else f"{kind}-member-lost",
        reasons=[*lost, *mounted_claims(cluster, subject, found.items), *pod_reasons(found.items)],
        look=cluster.shown(own, "--output", "wide"),
    )


def unfinished_release(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why the platform's Helm release is not complete."""
    own, found = find_pods(cluster, subject)
    return Explanation(
        title=f"Helm release {subject.name}",
        waits_for="its operator and what the chart brings along are ready",
        page="operator-gone",
        reasons=[*mounted_claims(cluster, subject, found.items), *pod_reasons(found.items)],
        look=cluster.shown(own),
    )


def missing_gpu_nodes(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return which nodes of a pool have not joined, are not Ready, or show too few GPUs."""
    deployment = cluster.ask(DEPLOYMENTS, subject.name, subject.namespace).first or {}
    spec: dict[str, Any] = deployment.get("spec", {})
    template: dict[str, Any] = spec.get("template", {})
    wanted: dict[str, str] = template.get("spec", {}).get("nodeSelector") or {}
    group, gpus = wanted.get(NODE_GROUP_LABEL, ""), wanted.get(GPU_COUNT_LABEL, "")
    of_group = Objects(NODES, labels=f"{NODE_GROUP_LABEL}={group}")
    nodes = cluster.find(of_group).items if group else []
    reasons = [reason for node in nodes if (reason := why_unusable(node, gpus))]
    expected = int(spec.get("replicas") or 0)
    if group and len(nodes) < expected:
        reasons.insert(0, f"{len(nodes)} of {expected} nodes of node group {group} have joined")
        bought: str = template.get("metadata", {}).get("annotations", {}).get(BOUGHT, "")
        if bought.startswith("cr-"):
            reasons.append(
                f"nothing starts in {bought} before its window opens or after its end: "
                "`dynamo-stack preflight` says which phase is due"
            )
    if not reasons:
        _, found = find_pods(cluster, subject, NAME_LABEL)
        reasons = pod_reasons(found.items)
    return Explanation(
        title=f"the nodes of pool {subject.name.removeprefix(NODES_OF_POOL)}",
        waits_for=f"every node of the pool is Ready and shows {f'its {gpus}' if gpus else 'its'} GPUs",
        page="gpu-nodes-not-joining",
        reasons=reasons,
        look=cluster.shown(of_group, "--label-columns", GPU_COUNT_LABEL),
        then="mend that, then run `pulumi up` again: it waits for the nodes again, and no graph waits before",
    )


def why_unusable(node: KubernetesObject, gpus: str) -> str | None:
    """Return why a node cannot serve with so many GPUs; None where it can."""
    name, labels = node["metadata"]["name"], labels_of(node)
    if not is_ready(node):
        return f"node {name}: not Ready, {condition_of(node, 'Ready').get('message') or 'without a reason'}"
    shown, offered = labels.get(GPU_COUNT_LABEL), allocatable_gpus(node)
    if shown == gpus == str(offered):
        return None
    return (
        f"node {name}: Ready, but GPU feature discovery sees {shown or 'no'} and the device plugin offers "
        f"{offered or 'no'} GPUs of {gpus}"
    )


def _operator_says(cluster: ClusterReader, subject: Subject, pods: Sequence[KubernetesObject]) -> list[str]:
    graph = cluster.ask(GRAPH_OBJECTS, subject.name, subject.namespace).first or {}
    said = why_not_ready(graph)
    if said is None:
        return ["nothing: it is ready by now"]
    start = "every pod is ready, but" if pods else "it has no pods, and"
    return [f"{start} the operator says: {said}"]
