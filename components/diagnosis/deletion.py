"""An object that would not go."""

from components.diagnosis.cluster_reader import ClusterReader, KubernetesObject
from components.diagnosis.finding import Finding, Subject

# Who removes the finalizer, and so who must run for the object to go.
_HOLDERS = {
    "nvidia.com/finalizer": "the Dynamo operator (NVIDIA/aicr#406)",
    "resource.nvidia.com/computeDomain": "NVIDIA's DRA driver",
    "kubernetes.io/pvc-protection": "Kubernetes, once no pod mounts the claim",
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
        reasons=holders(live) if live else [],
        look=cluster.command("get", *words, "--output", "yaml"),
        then="mend that, then run the same command again: it continues from here",
    )


def holders(live: KubernetesObject) -> list[str]:
    """Return one line for each thing that keeps a deleted object in the cluster."""
    metadata = live["metadata"]
    if not metadata.get("deletionTimestamp"):
        return ["it is not being deleted at all"]
    lines = [
        f"finalizer {name}, removed by {_HOLDERS.get(name, 'whoever set it')}"
        for name in metadata.get("finalizers") or []
    ]
    return lines + [
        f"{condition['type']}: {condition.get('message')}"
        for condition in live.get("status", {}).get("conditions") or []
        if condition["type"] in _NAMESPACE_CONDITIONS and condition["status"] == "True"
    ]
