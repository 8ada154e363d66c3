"""A container runs as an ordinary user, with few capabilities and no files of its node."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.host_access import asks_for_network_device
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.shapes import mappings_at, text_at, texts_at, whole_number_at
from rules.security.no_privileged_containers import NODE_AGENT

_ORDINARY = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
"""What pod security baseline lets every container have."""
_FOR_TRANSPORTS = frozenset({"IPC_LOCK", "SYS_RESOURCE", "SYS_PTRACE"})
"""To pin memory for RDMA, and to open another process's GPU memory; few, and each for one purpose."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    if template.resource.kind == NODE_AGENT:
        return
    for name, container in all_containers(template):
        added = {(each or "").upper().removeprefix("CAP_") for each in _capabilities(container)}
        # Capabilities that are added act for root alone, so whoever needs one needs root too.
        for_transport = bool(added & _FOR_TRANSPORTS) or asks_for_network_device(template, container)
        if _user(template.spec, container) == 0 and not for_transport:
            yield failed(template.resource, template.name, f"container {name} runs as root (runAsUser 0)")
        beyond = sorted(added - _ORDINARY - _FOR_TRANSPORTS - {""})
        if beyond:
            yield failed(
                template.resource,
                template.name,
                f"container {name} adds the capabilities {', '.join(beyond)}; KV transports ask for "
                f"{', '.join(sorted(_FOR_TRANSPORTS))}",
            )
    for volume in mappings_at(template.spec, "volumes"):
        path = text_at(volume, "hostPath", "path")
        if path is not None:
            yield failed(template.resource, template.name, f"mounts {path} of its node")


def _user(pod: Mapping[str, Value], container: Mapping[str, Value]) -> int | None:
    own = whole_number_at(container, "securityContext", "runAsUser")
    return whole_number_at(pod, "securityContext", "runAsUser") if own is None else own


def _capabilities(container: Mapping[str, Value]) -> list[str | None]:
    return list(texts_at(container, "securityContext", "capabilities", "add"))


RULE = Rule(
    id="pods-run-unprivileged",
    title="Containers run as an ordinary user, with few capabilities and no files of the node",
    severity=Severity.ADVISORY,
    reason=(
        "Root in a container is root on the node as soon as one defect of the runtime lets it out; a file of "
        "the node is shared with everything on it, and a mount of /dev/infiniband even disables EFA."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/security/pod-security-standards/ (baseline, restricted); "
        "aws-samples/aws-do-eks#63 (hostPath /dev/infiniband)"
    ),
    lines=EVERY_RELEASE,
    fix="Set runAsNonRoot and a runAsUser, drop ALL capabilities, and ask a device plugin for devices.",
    check=_check,
)
