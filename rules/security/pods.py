"""What pods may do, and with which images they start."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.host_access import asks_for_network_device, host_accesses, runs_an_engine
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, mappings_at, text_at, texts_at, whole_number_at
from rules.rule import graph_rule, rule
from rules.subjects import POD_TEMPLATES, resources_of_type

_NODE_AGENT = "DaemonSet"
"""Device plugins and drivers, whose work is the node itself."""
_ORDINARY = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
"""What pod security baseline lets every container have."""
_FOR_TRANSPORTS = frozenset({"IPC_LOCK", "SYS_RESOURCE", "SYS_PTRACE"})
"""To pin memory for RDMA, and to open another process's GPU memory; few, and each for one purpose."""
_VERSION = re.compile(r"\d")


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Whoever gets into such a container has the node, with every token and every model on it; and "
        "namespaces under pod security baseline or restricted refuse the pod."
    ),
    source="https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline",
    lines=EVERY_RELEASE,
    fix="Drop privileged; a sysctl goes into the pod's securityContext.sysctls.",
)
def no_privileged_containers(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """No container that serves no GPU is privileged."""
    if template.resource.kind == _NODE_AGENT or runs_an_engine(graph, template):
        return
    for access in host_accesses(graph, template):
        if access.is_privilege:
            yield f"{access.what}, and serves no GPU"


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Who gets into such a container has the node, with every token and every model on it. Some ways of "
        "the KV cache, and the agents of a node, are documented with more privileges than an ordinary pod; "
        "sources disagree on how many are needed, so each is worth a try without."
    ),
    source=(
        "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2 and examples/deployments/EKS "
        "at 4a28569; vllm-project/vllm#52607"
    ),
    lines=EVERY_RELEASE,
    fix="Try the capability IPC_LOCK alone, or DRANET (device class efa.networking.k8s.aws) for EFA.",
)
def privileges_for_hardware(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """A pod is let out of its isolation only as far as its hardware asks for."""
    for access in host_accesses(graph, template):
        if template.resource.kind == _NODE_AGENT:
            yield f"{access.what}, as an agent of the node"
        elif access.asked_by is not None:
            yield f"{access.what}, for {access.asked_by}"
        elif not access.is_privilege or runs_an_engine(graph, template):
            yield f"{access.what}, which no KV transport of this pod asks for"


@rule(
    POD_TEMPLATES,
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
)
def pods_run_unprivileged(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Containers run as an ordinary user, with few capabilities and no files of the node."""
    if template.resource.kind == _NODE_AGENT:
        return
    for name, container in all_containers(template):
        capabilities = texts_at(container, "securityContext", "capabilities", "add")
        added = {(each or "").upper().removeprefix("CAP_") for each in capabilities}
        # Capabilities that are added act for root alone, so a container that needs one needs root too.
        for_transport = bool(added & _FOR_TRANSPORTS) or asks_for_network_device(template, container)
        if _user(template.spec, container) == 0 and not for_transport:
            yield f"container {name} runs as root (runAsUser 0)"
        beyond = sorted(added - _ORDINARY - _FOR_TRANSPORTS - {""})
        if beyond:
            yield (
                f"container {name} adds the capabilities {', '.join(beyond)}; KV transports ask for "
                f"{', '.join(sorted(_FOR_TRANSPORTS))}"
            )
    for volume in mappings_at(template.spec, "volumes"):
        path = text_at(volume, "hostPath", "path")
        if path is not None:
            yield f"mounts {path} of its node"


def _user(pod: Mapping[str, Value], container: Mapping[str, Value]) -> int | None:
    own = whole_number_at(container, "securityContext", "runAsUser")
    return whole_number_at(pod, "securityContext", "runAsUser") if own is None else own


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "A tag that moves gives the pods of one graph different engines, the restart of a pod another one "
        "than the update, and nothing to go back to."
    ),
    source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    lines=EVERY_RELEASE,
    fix="Name the release in the tag, or a digest; a chart by its version.",
)
def images_pinned(graph: ResourceGraph) -> Iterator[Observation]:
    """Images and charts are pinned to a version."""
    yield from POD_TEMPLATES.judge(graph, _loose_images)
    yield from resources_of_type("kubernetes:helm.sh/v3:Release").judge(graph, _loose_chart)


def _loose_images(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    for name, container in all_containers(template):
        image = read_image(container)
        if image is None or image.digest is not None or image.is_placeholder:
            continue
        if image.tag is None:
            yield f"image {image.text} of container {name} has no tag, which means latest"
        elif _VERSION.search(image.tag) is None:
            yield f"image {image.text} of container {name} has the tag {image.tag}, which names no version"


def _loose_chart(_: ResourceGraph, release: Resource) -> Iterator[str]:
    version = release.inputs.get("version")
    if version is UNKNOWN:
        raise Undecided("the version of its chart is known only after the update")
    if not version:
        # The vendor's provider writes an empty text for one that nobody gave.
        yield "names no version of its chart: the newest one is installed"
