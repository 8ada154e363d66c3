"""Why pods are not ready: their states, and what their probes, variables, events and logs add."""

from collections.abc import Iterable, Iterator

from components.cluster_answer import KubernetesObject
from components.cluster_reader import ClusterReader
from failures.explanation import Subject
from failures.last_words import last_words
from failures.pods_and_events import container_statuses, is_ready, pod_reasons, warnings_of

_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
# Each closer look asks the cluster; more pods than these fail for the same reason.
_CLOSER_LOOKS = 3
_LOG_LINES = "--tail=80"
_NATS = "NATS_SERVER"


def pod_causes(cluster: ClusterReader, pods: Iterable[KubernetesObject]) -> list[str]:
    """Return one line for each pod that is not ready, with its state and what explains it."""
    unready = [pod for pod in pods if not is_ready(pod)]
    lines = pod_reasons(unready)
    for index, pod in enumerate(unready[:_CLOSER_LOOKS]):
        lines[index] = "; ".join([lines[index], *_more(cluster, pod)])
    return lines


def _more(cluster: ClusterReader, pod: KubernetesObject) -> Iterator[str]:
    if not pod.get("spec", {}).get("nodeName") or pod["metadata"].get("deletionTimestamp"):
        return
    ended = {each["name"]: end for each in container_statuses(pod) if (end := _failed_end(each))}
    for name, end in ended.items():
        kept = last_words(end.get("message", ""))
        words = kept or last_words(_log_before(cluster, pod, name))
        if not kept and words:
            yield f"the end of its log: {words}"
        if "NATS" in words and (address := _variable(pod, name, _NATS)):
            yield f"its {_NATS} is {address}"
    yield from _probes_elsewhere(pod)
    if not ended and not any(_says_why(each) for each in container_statuses(pod)):
        metadata = pod["metadata"]
        # Older ones are about what is over: no room at first, a probe of a process that was starting.
        yield from warnings_of(cluster, Subject("Pod", metadata["name"], metadata.get("namespace")))[-1:]


def _failed_end(status: KubernetesObject) -> KubernetesObject | None:
    """How the container ended, now or before it was started again; None where it has not failed."""
    for state in (status.get("state"), status.get("lastState")):
        ended = (state or {}).get("terminated")
        if ended and ended.get("reason") != "Completed":
            return ended
    return None


def _says_why(status: KubernetesObject) -> bool:
    """Whether the container waits for a reason that its state words as its events do."""
    return bool(((status.get("state") or {}).get("waiting") or {}).get("message"))


def _log_before(cluster: ClusterReader, pod: KubernetesObject, container: str) -> str:
    """The log of the run that failed; a container that has not been started again has but one."""
    metadata = pod["metadata"]
    status = next(each for each in container_statuses(pod) if each["name"] == container)
    previous = [] if "terminated" in (status.get("state") or {}) else ["--previous"]
    where = ["--namespace", metadata["namespace"], "--container", container]
    return cluster.log(metadata["name"], *where, _LOG_LINES, *previous)


def _probes_elsewhere(pod: KubernetesObject) -> Iterator[str]:
    """Probes of a port that the container does not declare, where nothing is known to answer."""
    for container in pod["spec"].get("containers") or []:
        ports = {each["containerPort"]: each.get("name", "unnamed") for each in container.get("ports") or []}
        known = ", ".join(f"{port} ({name})" for port, name in ports.items())
        for kind in _PROBES:
            probe = container.get(kind) or {}
            port = (probe.get("httpGet") or probe.get("tcpSocket") or {}).get("port")
            if ports and port is not None and port not in {*ports, *ports.values()}:
                yield f"its {kind} asks port {port}, and container {container['name']} has {known}"


def _variable(pod: KubernetesObject, container: str, name: str) -> str | None:
    """The plain value of a container's variable."""
    for each in pod["spec"].get("containers") or []:
        for entry in each.get("env") or [] if each["name"] == container else []:
            if entry["name"] == name:
                return entry.get("value")
    return None
