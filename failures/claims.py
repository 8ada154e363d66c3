"""A claim that got no volume."""

from collections.abc import Sequence

from components.cluster_answer import CLAIMS, STORAGE_CLASSES, VOLUMES, KubernetesObject
from components.cluster_reader import ClusterReader
from failures.deletion import is_being_deleted, mounting_pods
from failures.explanation import Explanation, Subject
from failures.pods_and_events import claim_names, warnings_of

UNBOUND_PAGE, LOST_PAGE = "cache-volume-unbound", "cache-lost"


def unbound_claim(cluster: ClusterReader, subject: Subject) -> Explanation:
    """Return why the claim is not bound, in the words of its provisioner."""
    return Explanation(
        title=f"claim {subject.name}",
        waits_for="its storage class has made a volume for it",
        page=UNBOUND_PAGE,
        reasons=claim_reasons(cluster, subject),
        look=cluster.command("describe", "pvc", subject.name, "--namespace", str(subject.namespace)),
        then=(
            "a slow file system only needs `pulumi up` again; a wrong class is changed as the runbook says"
        ),
    )


def claim_reasons(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return what keeps the claim from its volume; nothing where it is bound or cannot be read."""
    claim = cluster.ask(CLAIMS, subject.name, subject.namespace).first
    if claim is None:
        return []
    if ended := _why_ended(cluster, claim):
        return [f"claim {subject.name}: {ended}"]
    if claim.get("status", {}).get("phase") == "Bound":
        return []
    name, volume = claim["spec"].get("storageClassName"), claim["spec"].get("volumeName")
    if volume:
        return [_named_volume(cluster, subject, volume)]
    if not name:
        return [f"claim {subject.name}: names no storage class, and the cluster has no default one"]
    return _without_volume(cluster, subject, claim, name)


def ended_claims(cluster: ClusterReader, subject: Subject, names: Sequence[str]) -> list[str]:
    """Return which of the claims of a namespace no new pod can ever mount."""
    claims = {name: cluster.ask(CLAIMS, name, subject.namespace).first for name in names}
    return [
        f"claim {name}: {why}"
        for name, claim in claims.items()
        if claim and (why := _why_ended(cluster, claim))
    ]


def mounted_claims(cluster: ClusterReader, subject: Subject, pods: Sequence[KubernetesObject]) -> list[str]:
    """Return what keeps the claims of pods without a node from their volumes."""
    waiting = (pod for pod in pods if not pod.get("spec", {}).get("nodeName"))
    names = dict.fromkeys(name for pod in waiting for name in claim_names(pod))
    claims = [Subject("PersistentVolumeClaim", name, subject.namespace) for name in names]
    return [reason for claim in claims for reason in claim_reasons(cluster, claim)]


def _named_volume(cluster: ClusterReader, subject: Subject, name: str) -> str:
    """Return why a claim does not get the one volume that it names."""
    volume = cluster.ask(VOLUMES, name).first
    if volume is None:
        return f"claim {subject.name}: its volume {name} is not there"
    phase, owner = volume.get("status", {}).get("phase", "Pending"), volume["spec"].get("claimRef", {})
    whose = f"{owner.get('namespace')}/{owner.get('name')}"
    if phase == "Released":
        return (
            f"claim {subject.name}: its volume {name} belongs to a claim {whose} that is gone; "
            f"`kubectl delete pv {name}` and `pulumi refresh`: the files stay, and `up` makes it again"
        )
    return f"claim {subject.name}: its volume {name} is {phase}, for claim {whose}"


def _why_ended(cluster: ClusterReader, claim: KubernetesObject) -> str | None:
    if is_being_deleted(claim):
        held = ", ".join(mounting_pods(cluster, claim)) or "its finalizers"
        since = claim["metadata"]["deletionTimestamp"]
        return f"is being deleted since {since}, held by {held}; no new pod can mount it"
    if claim.get("status", {}).get("phase") == "Lost":
        return f"has lost its volume {claim['spec'].get('volumeName')}, and the files in it"
    return None


def _without_volume(
    cluster: ClusterReader, subject: Subject, claim: KubernetesObject, name: str
) -> list[str]:
    lines = [f"claim {subject.name}: {said}" for said in warnings_of(cluster, subject)]
    classes = cluster.ask(STORAGE_CLASSES)
    known = sorted(each["metadata"]["name"] for each in classes.items)
    if classes.is_known and name not in known:
        have = f"the cluster has {', '.join(known)}" if known else "the cluster has none"
        lines.append(f"claim {subject.name}: there is no storage class {name}; {have}")
    if not lines:
        lines.append(f"claim {subject.name}: {claim.get('status', {}).get('phase', 'Pending')}, class {name}")
    return lines
