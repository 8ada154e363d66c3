"""Causes that more waiting does not remove."""

import re
from collections.abc import Mapping, Sequence

from components.cluster_reader import ClusterReader, KubernetesObject
from components.dynamo_objects import GRAPH_NAME, GRAPHS, stored_name
from failures.deletion import holders, is_going
from failures.finding import Subject
from failures.storage import ended_claims

_GRAPH = "DynamoGraphDeployment"
# Kind -> the label of its pods whose value is its name.
_PODS: Mapping[str, str] = {
    "DaemonSet": "app.kubernetes.io/name",
    _GRAPH: GRAPH_NAME,
    "Job": "batch.kubernetes.io/job-name",
    "StatefulSet": "app.kubernetes.io/name",
}
WATCHED = frozenset(_PODS) | {"PersistentVolumeClaim"}
"""Kinds whose wait can have such a cause."""
_PULLS = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
# What registries answer by way of containerd (core/remotes/docker/resolver.go, core/remotes/errors) where
# there is no such image. A refused login and a registry that is away can pass, and say something else.
_NO_IMAGE = re.compile(
    r"code = NotFound|: not found|manifest unknown|name unknown|no match for platform|couldn't parse image",
    re.IGNORECASE,
)


Pods = frozenset[str | None]
"""By their uids."""


def pods_of(cluster: ClusterReader, subject: Subject) -> list[KubernetesObject]:
    """Return the pods that the object is waited for with; none where it has none, or nobody can tell."""
    if subject.kind not in _PODS or subject.namespace is None:
        return []
    words = ["--namespace", subject.namespace, "--selector", f"{_PODS[subject.kind]}={subject.name}"]
    return [pod for pod in cluster.items("pods", *words) or [] if not is_going(pod)]


def causes(
    cluster: ClusterReader,
    subject: Subject,
    pods: Sequence[KubernetesObject],
    said_before: Pods = frozenset(),
) -> list[str]:
    """Return why the object never becomes what is waited for; empty while it may, or nobody can tell.

    Args:
        cluster: where to look.
        subject: the object.
        pods: its own.
        said_before: pods whose words on their images may be of before the wait.

    """
    if subject.kind not in WATCHED:
        return []
    if reasons := ending(cluster, subject):
        return reasons
    if subject.kind not in _PODS:
        return ended_claims(cluster, subject, [subject.name])
    claims = {name: None for pod in pods if not pod.get("spec", {}).get("nodeName") for name in _claims(pod)}
    new = [pod for pod in pods if pod["metadata"].get("uid") not in said_before]
    return [*ended_claims(cluster, subject, list(claims)), *_absent_images(new)]


def ending(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return that the object's namespace, or the graph itself, is being deleted; empty where neither is."""
    if subject.namespace is None:
        return []
    if reasons := _going(cluster, f"namespace {subject.namespace}", "namespace", subject.namespace):
        return reasons
    if subject.kind != _GRAPH:
        return []
    words = [stored_name(cluster.get, GRAPHS), subject.name, "--namespace", subject.namespace]
    return _going(cluster, f"graph {subject.name}", *words)


def _going(cluster: ClusterReader, title: str, *words: str) -> list[str]:
    live = cluster.get(*words) or {}
    if not is_going(live):
        return []
    return [f"{title} is being deleted since {live['metadata']['deletionTimestamp']}", *holders(live)]


def _claims(pod: KubernetesObject) -> list[str]:
    volumes = pod.get("spec", {}).get("volumes") or []
    return [each["persistentVolumeClaim"]["claimName"] for each in volumes if "persistentVolumeClaim" in each]


def _absent_images(pods: Sequence[KubernetesObject]) -> list[str]:
    found: dict[str, None] = {}
    for pod in pods:
        status = pod.get("status", {})
        for container in [
            *(status.get("initContainerStatuses") or []),
            *(status.get("containerStatuses") or []),
        ]:
            waiting = (container.get("state") or {}).get("waiting") or {}
            said = " ".join(str(waiting.get("message", "")).split())
            if waiting.get("reason") in _PULLS and _NO_IMAGE.search(said):
                found[f"image {container.get('image')} does not exist: {waiting['reason']}, {said}"] = None
    return list(found)
