"""An object that would not go."""

import json

from components.diagnosis.cluster_reader import ClusterReader, KubernetesObject
from components.diagnosis.finding import Finding, Subject

_OPERATORS = "nvidia.com/finalizer"
_WHILE_MOUNTED = "kubernetes.io/pvc-protection"
# Who removes the finalizer, and so who must run for the object to go.
_HOLDERS = {
    _OPERATORS: "the Dynamo operator (NVIDIA/aicr#406)",
    "resource.nvidia.com/computeDomain": "NVIDIA's DRA driver",
    _WHILE_MOUNTED: "Kubernetes, once no pod mounts the claim",
    "foregroundDeletion": "Kubernetes, once its dependents are gone",
}
_NAMESPACE_CONDITIONS = ("NamespaceContentRemaining", "NamespaceFinalizersRemaining")


def undeleted(cluster: ClusterReader, subject: Subject, resource: str) -> Finding:
    """Return what holds the object.

    Args:
        cluster: where it lives.
        subject: the object.
        resource: the kind as kubectl knows it, with its group.

    """
    words = [resource, subject.name, *(["--namespace", subject.namespace] if subject.namespace else [])]
    live = cluster.get(*words)
    return Finding(
        title=f"the end of {subject.kind} {subject.name}",
        waits_for="it is gone",
        page="deletion-hangs",
        reasons=[*holders(live), *_mounting_pods(cluster, live)] if live else [],
        look=cluster.command("get", *words, "--output", "yaml"),
        then=_then(cluster, words, live or {}),
    )


def holders(live: KubernetesObject) -> list[str]:
    """Return one line for each thing that keeps a deleted object in the cluster."""
    metadata = live["metadata"]
    if not metadata.get("deletionTimestamp"):
        return ["it is not being deleted at all"]
    lines = [
        f"finalizer {name}, removed by {_HOLDERS.get(name, 'whoever set it')}" for name in _finalizers(live)
    ]
    return lines + [
        f"{condition['type']}: {condition.get('message')}"
        for condition in live.get("status", {}).get("conditions") or []
        if condition["type"] in _NAMESPACE_CONDITIONS and condition["status"] == "True"
    ]


def _mounting_pods(cluster: ClusterReader, claim: KubernetesObject) -> list[str]:
    if _WHILE_MOUNTED not in _finalizers(claim):
        return []
    metadata = claim["metadata"]
    pods = cluster.items("pods", "--namespace", metadata.get("namespace", "default")) or []
    return [f"pod {pod['metadata']['name']} mounts it" for pod in pods if metadata["name"] in _claims(pod)]


def _claims(pod: KubernetesObject) -> list[str]:
    volumes = pod.get("spec", {}).get("volumes") or []
    return [volume.get("persistentVolumeClaim", {}).get("claimName") for volume in volumes]


def _then(cluster: ClusterReader, words: list[str], live: KubernetesObject) -> str:
    again = "then run the same command again: it continues from here"
    finalizers = _finalizers(live)
    if _OPERATORS in finalizers:
        # Its webhook would refuse the patch that lifts the finalizer, as long as the operator is away.
        return f"bring the operator back (docs/runbook/operator-gone.md), {again}"
    rest = [name for name in finalizers if name in _HOLDERS]
    if rest == finalizers:
        return f"mend that, {again}"
    patch = json.dumps({"metadata": {"finalizers": rest}})
    lift = cluster.command("patch", *words, "--type=merge", "--patch", patch)
    return f"let whoever set the finalizer finish, or lift it with `{lift}`; {again}"


def _finalizers(live: KubernetesObject) -> list[str]:
    return live.get("metadata", {}).get("finalizers") or []
