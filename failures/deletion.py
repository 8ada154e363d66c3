"""Objects that are being deleted: since when, and what holds them."""

import json
from collections.abc import Mapping
from typing import Any

from components.cluster_answer import NAMESPACES, PODS, KubernetesObject, Objects, conditions_of
from components.cluster_reader import ClusterReader
from components.dynamo_objects import (
    CONVERSION_SIGN,
    FINALIZER,
    GRAPH_KIND,
    GRAPH_NAME,
    GRAPH_OBJECTS,
    PART_OBJECTS,
    kind_named,
)
from failures.explanation import Explanation, Subject
from failures.pods_and_events import claim_names, pod_reasons

_WHILE_MOUNTED = "kubernetes.io/pvc-protection"
# Who removes the finalizer, and so who must run for the object to go.
_HOLDERS = {
    FINALIZER: "the Dynamo operator (NVIDIA/aicr#406)",
    "resource.nvidia.com/computeDomain": "NVIDIA's DRA driver",
    _WHILE_MOUNTED: "Kubernetes, once no pod mounts the claim",
    "foregroundDeletion": "Kubernetes, once what it owns is gone",
}
_NAMESPACE_CONDITIONS = (
    "NamespaceContentRemaining",
    "NamespaceFinalizersRemaining",
    # While the webhook that converts Dynamo's objects is away, the namespace controller cannot list them.
    "NamespaceDeletionContentFailure",
)
_NAMESPACE = "Namespace"
_KINDS = {GRAPH_OBJECTS: GRAPH_KIND, PART_OBJECTS: "DynamoComponentDeployment"}


def undeleted(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return what holds the object."""
    own = Objects(kind_named(subject.kind), subject.name, subject.namespace)
    live = cluster.find(own).first
    reasons: list[str] = []
    if live:
        reasons = [*holders(live), *_of_dynamo(cluster, subject)]
        reasons += [f"{pod} mounts it" for pod in mounting_pods(cluster, live)]
    return Explanation(
        title=f"the end of {subject.kind} {subject.name}",
        waits_for="it is gone",
        page="deletion-hangs",
        reasons=reasons,
        look=cluster.shown(own, "--output", "yaml"),
        then=_what_to_do(cluster, own, live or {}, reasons),
    )


def ended_by_deletion(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return that the object's namespace, or the graph itself, is being deleted; empty where neither is."""
    if subject.namespace is None:
        return []
    namespace = cluster.ask(NAMESPACES, subject.namespace).first
    if reasons := _reasons_of(f"namespace {subject.namespace}", namespace):
        return reasons
    if subject.kind != GRAPH_KIND:
        return []
    graph = cluster.ask(GRAPH_OBJECTS, subject.name, subject.namespace).first
    return _reasons_of(f"graph {subject.name}", graph)


def is_being_deleted(live: Mapping[str, Any]) -> bool:
    """Whether the object has been deleted, and only waits for its finalizers."""
    return bool(live.get("metadata", {}).get("deletionTimestamp"))


def holders(live: Mapping[str, Any]) -> list[str]:
    """Return one line for each thing that keeps a deleted object in the cluster."""
    if not is_being_deleted(live):
        return ["it is not being deleted at all"]
    return _finalizer_lines(live) + [
        f"{condition['type']}: {condition.get('message')}"
        for condition in conditions_of(live)
        if condition["type"] in _NAMESPACE_CONDITIONS and condition["status"] == "True"
    ]


def mounting_pods(cluster: ClusterReader, claim: Mapping[str, Any]) -> list[str]:
    """Return the pods that hold a claim which is being deleted.

    Those that have a node, also when they have ended, as the Job's that filled it (k8s.io/kubernetes
    pkg/controller/volume/pvcprotection, podUsesPVCForDeletion).
    """
    metadata = claim["metadata"]
    if _WHILE_MOUNTED not in _finalizers(claim):
        return []
    return [
        f"pod {pod['metadata']['name']}"
        for pod in cluster.ask(PODS, namespace=metadata.get("namespace", "default")).items
        if metadata["name"] in claim_names(pod) and pod["spec"].get("nodeName")
    ]


def _reasons_of(title: str, live: KubernetesObject | None) -> list[str]:
    if live is None or not is_being_deleted(live):
        return []
    return [f"{title} is being deleted since {live['metadata']['deletionTimestamp']}", *holders(live)]


def _of_dynamo(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return what holds the parts of a graph, or any of Dynamo's objects in a namespace."""
    if subject.kind == GRAPH_KIND:
        where = (subject.namespace, f"{GRAPH_NAME}={subject.name}")
        pods = cluster.find(Objects(PODS, "", *where)).items
        ending = [pod for pod in pods if pod["metadata"].get("deletionTimestamp")]
        held = _held_objects(cluster, Objects(PART_OBJECTS, "", *where))
        return [*held, *(f"pod {line}" for line in pod_reasons(ending))]
    if subject.kind == _NAMESPACE:
        kinds = (GRAPH_OBJECTS, PART_OBJECTS)
        return [line for each in kinds for line in _held_objects(cluster, Objects(each, "", subject.name))]
    return []


def _held_objects(cluster: ClusterReader, objects: Objects) -> list[str]:
    kind = _KINDS[objects.kind]
    return [
        f"{kind} {item['metadata']['name']}: {line}"
        for item in cluster.find(objects).items
        for line in _finalizer_lines(item)
    ]


def _finalizer_lines(live: Mapping[str, Any]) -> list[str]:
    return [
        f"finalizer {name}, removed by {_HOLDERS.get(name, 'the program that set it')}"
        for name in _finalizers(live)
    ]


def _what_to_do(cluster: ClusterReader, own: Objects, live: KubernetesObject, reasons: list[str]) -> str:
    again = "then run the same command again: it continues from here"
    finalizers = _finalizers(live)
    if any(FINALIZER in reason or CONVERSION_SIGN in reason for reason in reasons):
        # Its webhooks would refuse the patch that lifts the finalizer, as long as the operator is away.
        return f"bring the operator back (docs/runbook/operator-gone.md), {again}"
    rest = [name for name in finalizers if name in _HOLDERS]
    if rest == finalizers:
        return f"mend that, {again}"
    patch = json.dumps({"metadata": {"finalizers": rest}})
    lift = cluster.shown(own, "--type=merge", "--patch", patch, verb="patch")
    return f"let the program that set the finalizer finish, or lift it with `{lift}`; {again}"


def _finalizers(live: Mapping[str, Any]) -> list[str]:
    return live.get("metadata", {}).get("finalizers") or []
