"""Why pods and nodes are not ready: their states, and what events and logs add."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from components.cluster_answer import (
    DEPLOYMENTS,
    EVENTS,
    NODES,
    PODS,
    Answer,
    KubernetesObject,
    Objects,
    condition_of,
    labels_of,
)
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_KIND, GRAPH_NAME
from failures.explanation import Subject, last_words
from hardware import GPU_RESOURCE

_SHOWN = 3
NAME_LABEL = "app.kubernetes.io/name"
POD_LABELS: Mapping[str, str] = {
    "DaemonSet": NAME_LABEL,
    # Of the server of a recipe without Dynamo; the Deployments that wait for nodes have no such pods.
    "Deployment": GRAPH_NAME,
    GRAPH_KIND: GRAPH_NAME,
    "Job": "batch.kubernetes.io/job-name",
    "Release": "app.kubernetes.io/instance",
    "StatefulSet": NAME_LABEL,
}
"""Kind -> the label of its pods whose value is its name."""


def find_pods(cluster: ClusterReader, subject: Subject, label: str = "") -> tuple[Objects, Answer]:
    """Return by what the subject's pods are found, and what is found; `label` in place of its kind's."""
    chosen = f"{label or POD_LABELS[subject.kind]}={subject.name}"
    own = Objects(PODS, namespace=str(subject.namespace), labels=chosen)
    return own, cluster.find(own)


def pod_reasons(pods: Iterable[KubernetesObject]) -> list[str]:
    """Return one line for each pod that is not ready, with the reason that Kubernetes gives."""
    return [f"{pod['metadata']['name']}: {_reason(pod)}" for pod in pods if not is_ready(pod)]


def is_ready(item: KubernetesObject) -> bool:
    """Whether the condition Ready of a pod or a node is true."""
    return condition_of(item, "Ready").get("status") == "True"


def allocatable_gpus(node: KubernetesObject) -> int:
    """Return how many GPUs the device plugin offers on a node."""
    return gpus_in((node.get("status") or {}).get("allocatable") or {})


def gpus_in(quantities: Mapping[str, Any]) -> int:
    """Return how many GPUs stand among the resources of a node or of a container."""
    text = str(quantities.get(GPU_RESOURCE, "0"))
    return int(text) if text.isdecimal() else 0


def has_ended(pod: Mapping[str, Any]) -> bool:
    """Whether none of its containers runs again."""
    return (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}


def refused_pods(cluster: ClusterReader, graph: str, namespace: str) -> list[str]:
    """Return why pods of a graph were never made, in the API server's words: a quota, a limit, a webhook."""
    # The Deployment of a server without Dynamo has the label on its pods alone.
    found = cluster.ask(DEPLOYMENTS, namespace=namespace).items
    own = [each for each in found if labels_of(each["spec"]["template"]).get(GRAPH_NAME) == graph]
    refusals = [condition_of(each, "ReplicaFailure") for each in own]
    return [
        " ".join(each["message"].split())
        for each in refusals
        if (each.get("status"), each.get("reason")) == ("True", "FailedCreate") and each.get("message")
    ]


def lost_node_reasons(cluster: ClusterReader, pods: Sequence[KubernetesObject]) -> list[str]:
    """Return one line for each node with a pod that is not ready, or gone; none where nobody can tell."""
    used = sorted({pod["spec"]["nodeName"] for pod in pods if pod.get("spec", {}).get("nodeName")})
    nodes = cluster.ask(NODES)
    if not nodes.is_known:
        return []
    by_name = {node["metadata"]["name"]: node for node in nodes.items}
    return [
        f"node {name}: {why_lost(by_name.get(name))}" for name in used if not is_ready(by_name.get(name, {}))
    ]


def why_lost(node: KubernetesObject | None) -> str:
    """Return why a node is not ready, in its own words; None is one that does not exist."""
    if node is None:
        return "does not exist any more"
    ready = condition_of(node, "Ready")
    if not ready:
        return "not ready, it has not reported yet"
    return f"not ready, {ready.get('message') or ready.get('reason') or 'without a reason'}"


def warnings_of(cluster: ClusterReader, subject: Subject) -> list[str]:
    """Return the newest warnings about the object, each once, the newest last; none where nobody can tell."""
    selector = f"involvedObject.kind={subject.kind},involvedObject.name={subject.name}"
    namespace = subject.namespace or "default"
    found = sorted(
        cluster.ask(EVENTS, namespace=namespace, fieldSelector=selector).items,
        key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""),
    )
    # A claim that nobody provisions gets no warning but this normal event.
    lines = {
        f"{event.get('reason')}: {event.get('message')}": None
        for event in found
        if event.get("type") == "Warning" or event.get("reason") == "ExternalProvisioning"
    }
    return list(lines)[-_SHOWN:]


def claim_names(pod: KubernetesObject) -> Iterator[str]:
    """Return the claims that a pod mounts."""
    volumes = pod.get("spec", {}).get("volumes") or []
    yield from (
        each["persistentVolumeClaim"]["claimName"] for each in volumes if "persistentVolumeClaim" in each
    )


def config_map_names(pod: Mapping[str, Any]) -> Iterator[str]:
    """Return the ConfigMaps that a pod mounts, and cannot start without."""
    volumes = pod.get("spec", {}).get("volumes") or []
    files = (each["configMap"] for each in volumes if each.get("configMap"))
    yield from (each.get("name", "") for each in files if not each.get("optional"))


def container_statuses(pod: KubernetesObject) -> list[KubernetesObject]:
    """Return the states of a pod's containers, those that prepare it first."""
    status = pod.get("status", {})
    return [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]


# Each closer look asks the cluster; more pods than these fail for the same reason.
_CLOSER_LOOKS = 3
_LOG_LINES = "--tail=80"


def pod_causes(cluster: ClusterReader, pods: Iterable[KubernetesObject]) -> list[str]:
    """Return one line for each pod that is not ready, with its state and what explains it."""
    unready = [pod for pod in pods if not is_ready(pod)]
    lines = pod_reasons(unready)
    for index, pod in enumerate(unready[:_CLOSER_LOOKS]):
        lines[index] = "; ".join([lines[index], *_more(cluster, pod)])
    return lines


def _reason(pod: KubernetesObject) -> str:
    status = pod.get("status", {})
    scheduled = condition_of(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return f"{status.get('phase', 'Pending')}, {scheduled.get('message', 'not scheduled')}"
    if pod["metadata"].get("deletionTimestamp"):
        return f"being deleted, which its node {pod.get('spec', {}).get('nodeName')} has not confirmed"
    for container in container_statuses(pod):
        state = container.get("state") or {}
        if waiting := state.get("waiting"):
            said = f"{container['name']} waiting, {waiting.get('reason')} {waiting.get('message', '')}"
            return " ".join(said.split()) + _last_end(container)
        ended = state.get("terminated")
        if ended and ended.get("reason") != "Completed":
            said = f"{container['name']} terminated, {ended.get('reason')}"
            return f"{said} {last_words(ended.get('message', ''))}".rstrip()
    ends = "".join(_last_end(container) for container in container_statuses(pod))
    return f"{status.get('phase', 'unknown')}, started but not ready{ends}"


def _last_end(container: KubernetesObject) -> str:
    """How a container that starts again ended before, with its last words where its status keeps them."""
    ended = (container.get("lastState") or {}).get("terminated")
    if not ended:
        return ""
    words = last_words(ended.get("message", ""))
    why = "" if ended.get("reason") in (None, "Error") else f" ({ended['reason']})"
    said = f"; before that it ended with exit code {ended.get('exitCode')}{why}"
    return f"{said}: {words}" if words else said


def _more(cluster: ClusterReader, pod: KubernetesObject) -> Iterator[str]:
    if not pod.get("spec", {}).get("nodeName") or pod["metadata"].get("deletionTimestamp"):
        return
    metadata = pod["metadata"]
    statuses = container_statuses(pod)
    ended = [(each, end) for each in statuses if (end := _failed_end(each))]
    for status, end in ended:
        if not end.get("message") and (words := last_words(_log_before(cluster, metadata, status))):
            yield f"the end of its log: {words}"
    # A container that waits for a reason words it in its state as its events do.
    if not ended and not any(
        ((each.get("state") or {}).get("waiting") or {}).get("message") for each in statuses
    ):
        # Older ones are about what is over: no room at first, a probe of a process that was starting.
        yield from warnings_of(cluster, Subject("Pod", metadata["name"], metadata.get("namespace")))[-1:]


def _failed_end(status: KubernetesObject) -> KubernetesObject | None:
    """How the container ended, now or before it was started again; None where it has not failed."""
    for state in (status.get("state"), status.get("lastState")):
        ended = (state or {}).get("terminated")
        if ended and ended.get("reason") != "Completed":
            return ended
    return None


def _log_before(cluster: ClusterReader, metadata: KubernetesObject, status: KubernetesObject) -> str:
    """The log of the run that failed; a container that has not been started again has but one."""
    previous = [] if "terminated" in (status.get("state") or {}) else ["--previous"]
    where = ["--namespace", metadata["namespace"], "--container", status["name"]]
    return cluster.log(metadata["name"], *where, _LOG_LINES, *previous)
