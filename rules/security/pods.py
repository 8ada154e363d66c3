"""What pods may do, and with which images they start."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.reading.devices import network_devices
from rules.reading.pods.containers import (
    added_capabilities,
    all_containers,
    is_privileged,
    read_image,
    user_of,
)
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import field, mappings_at, text_at
from rules.rule import (
    EVERY_RELEASE,
    POD_TEMPLATES,
    Said,
    Severity,
    each_of,
    rule,
)

_NODE_AGENT = "DaemonSet"
"""Names of device plugins and drivers, whose work is the node itself."""
_ORDINARY = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
"""Capabilities that pod security baseline lets every container have."""
_FOR_TRANSPORTS = frozenset({"IPC_LOCK", "SYS_RESOURCE", "SYS_PTRACE"})
"""Capabilities to pin memory for RDMA and to open another process's GPU memory."""
_VERSION = re.compile(r"\d")


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Who gets into a privileged container has the node, with every token and every model on it, and "
        "namespaces under pod security baseline refuse the pod; root in a container is root on the node as "
        "soon as one defect of the runtime lets it out; a file of the node is shared with everything on it, "
        "and a mount of /dev/infiniband even disables EFA. Some ways of the KV cache, and the agents of a "
        "node, are documented with more privileges than an ordinary pod, and sources disagree on how many "
        "are needed: guides of the publisher set privileged for EFA and RDMA, where an example does with "
        "IPC_LOCK, and an overview with IPC_LOCK and SYS_RESOURCE as root; two of its vLLM recipes set "
        "hostIPC, for NVLink between nodes and for engines that share a pod."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/security/pod-security-standards/ (baseline, restricted); "
        "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2 and examples/deployments/EKS "
        "at 4a28569, docs/kubernetes/cloud-providers at 70aa30d, docs/kubernetes/rdma-setup/overview.md at "
        "a580cdd, recipes/inkling/vllm/disagg-gb300-agentic at 472ac24, recipes/gpt-oss-120b/vllm at "
        "e17cb02; vllm-project/vllm#52607; aws-samples/aws-do-eks#63 (hostPath /dev/infiniband)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Drop privileged (a sysctl goes into the pod's securityContext.sysctls); try the capability IPC_LOCK "
        "alone, or DRANET (device class efa.networking.k8s.aws) for EFA. Set runAsNonRoot and a runAsUser, "
        "drop ALL capabilities, and ask a device plugin for devices."
    ),
)
def pods_run_unprivileged(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """Pod has privileges of its node, runs as root, or mounts files of its node."""
    return each_of(graph, template, _privileges_of_the_node, _ordinary)


def _privileges_of_the_node(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Privileged containers and namespaces of the node."""
    by_agent = ", as an agent of the node" if template.resource.kind == _NODE_AGENT else ""
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if field(template.spec, key) is True:
            yield f"shares the node's {key.removeprefix('host')} ({key}){by_agent}"
    for name, container in all_containers(template):
        if is_privileged(container):
            devices = ", ".join(device for device, _ in network_devices(template, container))
            beside = f", beside {devices}" if devices else ", and asks for no network device"
            yield f"container {name} is privileged{by_agent or beside}"


def _ordinary(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Root, capabilities that no transport asks for, and files of the node."""
    if template.resource.kind == _NODE_AGENT:
        return
    for name, container in all_containers(template):
        added = added_capabilities(container)
        # Capabilities that are added act for root alone, so a container that needs one needs root too.
        for_transport = bool(added & _FOR_TRANSPORTS) or network_devices(template, container)
        if user_of(template.spec, container) == 0 and not for_transport:
            yield f"container {name} runs as root (runAsUser 0)"
        beyond = sorted(added - _ORDINARY - _FOR_TRANSPORTS)
        if beyond:
            yield (
                f"container {name} adds the capabilities {', '.join(beyond)}; KV transports ask for "
                f"{', '.join(sorted(_FOR_TRANSPORTS))}"
            )
    for volume in mappings_at(template.spec, "volumes"):
        path = text_at(volume, "hostPath", "path")
        if path is not None:
            yield f"mounts {path} of its node"


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "A tag that moves gives the pods of one graph different engines, the restart of a pod another one "
        "than the update, and nothing to go back to."
    ),
    source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    lines=EVERY_RELEASE,
    fix="Name the release in the tag, or a digest.",
)
def images_pinned(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Image names no version."""
    for name, container in all_containers(template):
        image = read_image(container)
        if image is None or image.digest is not None or image.is_placeholder:
            continue
        if image.tag is None:
            yield f"image {image.text} of container {name} has no tag, which means latest"
        elif _VERSION.search(image.tag) is None:
            yield f"image {image.text} of container {name} has the tag {image.tag}, which names no version"
