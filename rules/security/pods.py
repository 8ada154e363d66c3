"""What pods may do, and with which images they start."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity
from rules.reading.devices import EFA_RESOURCE, network_devices
from rules.reading.pods.containers import all_containers, read_image
from rules.reading.pods.pods import PodTemplate, Unreadable
from rules.reading.pods.privileges import refused_as_root, user_of
from rules.reading.pods.workers import workers_by_resource, workers_of_pods
from rules.reading.shapes import Undecided, field, mappings_at, text_at, texts_at
from rules.rule import Said, each_of, graph_rule, rule
from rules.subjects import POD_TEMPLATES, resources_of_type

_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")
_WITHOUT_GPUS = frozenset({"frontend", "planner", "epp"})
"""Types of components that serve no GPU."""
_EFA = (
    "EFA: ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2 calls it required, while "
    "examples/deployments/EKS at 4a28569 does with the capability IPC_LOCK alone"
)
_RDMA = (
    "RDMA: ai-dynamo/dynamo docs/kubernetes/cloud-providers at 70aa30d sets it, while "
    "docs/kubernetes/rdma-setup/overview.md at a580cdd does with IPC_LOCK and SYS_RESOURCE as root"
)
_MNNVL_OF_VLLM = (
    "NVLink between nodes under vLLM: ai-dynamo/dynamo recipes/inkling/vllm/disagg-gb300-agentic at 472ac24 "
    "sets it"
)
_ONE_POD = (
    "engines that hand their cache to each other inside one pod: ai-dynamo/dynamo recipes/gpt-oss-120b/vllm "
    "at e17cb02 sets it"
)
_FOR_NOTHING = "which no KV transport of this pod asks for"
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
        "node, are documented with more privileges than an ordinary pod; sources disagree on how many are "
        "needed, so each is worth a try without."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/security/pod-security-standards/ (baseline, restricted); "
        "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2 and examples/deployments/EKS "
        "at 4a28569; vllm-project/vllm#52607; aws-samples/aws-do-eks#63 (hostPath /dev/infiniband)"
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


def _privileges_of_the_node(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Privileged containers and namespaces of the node, and what asks for them."""
    for key in _NAMESPACES:
        if field(template.spec, key) is True:
            why = _why(template, _asks_for_ipc(graph, template) if key == "hostIPC" else None)
            yield f"shares the node's {key.removeprefix('host')} ({key}), {why}"
    for name, container in all_containers(template):
        if field(container, "securityContext", "privileged") is True:
            why = _why(template, _asks_for_privileges(template, container))
            is_idle = why == _FOR_NOTHING and not _runs_an_engine(graph, template)
            yield f"container {name} is privileged, {'and serves no GPU' if is_idle else why}"


def _why(template: PodTemplate, asked_by: str | None) -> str:
    if template.resource.kind == _NODE_AGENT:
        return "as an agent of the node"
    return _FOR_NOTHING if asked_by is None else f"for {asked_by}"


def _ordinary(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Root, capabilities that no transport asks for, and files of the node."""
    if template.resource.kind == _NODE_AGENT:
        return
    # What the kubelet does not even start is told where values are judged.
    refused = refused_as_root(template)
    for name, container in all_containers(template):
        capabilities = texts_at(container, "securityContext", "capabilities", "add")
        added = {(each or "").upper().removeprefix("CAP_") for each in capabilities}
        # Capabilities that are added act for root alone, so a container that needs one needs root too.
        for_transport = bool(added & _FOR_TRANSPORTS) or network_devices(template, container)
        if user_of(template.spec, container) == 0 and name not in refused and not for_transport:
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
    """Image or chart names no version."""
    yield from POD_TEMPLATES.judge(graph, _loose_images)
    yield from resources_of_type("kubernetes:helm.sh/v3:Release").judge(graph, _loose_chart)


def _runs_an_engine(graph: ResourceGraph, template: PodTemplate) -> bool:
    """Whether the pod has GPUs or starts an engine, or may do so.

    Guides differ in how much such a pod is to be let out for, so nobody can say that it is for nothing.
    """
    if template.shape != "workload":
        return template.component_type not in _WITHOUT_GPUS
    workers = workers_by_resource(graph).get(template.resource.urn, ())
    return any(isinstance(each, Unreadable) or each.template is template for each in workers)


def _asks_for_privileges(template: PodTemplate, container: Mapping[str, Value]) -> str | None:
    devices = [name for name, _ in network_devices(template, container)]
    asked_by = _EFA if EFA_RESOURCE in devices else _RDMA
    return asked_by if devices else None


def _asks_for_ipc(graph: ResourceGraph, template: PodTemplate) -> str | None:
    workers = workers_of_pods(graph).get(template, ())
    engines = [command.engine for worker in workers for command in worker.commands]
    if not any("vllm" in engine for engine in engines):
        return None
    if len(engines) > 1:
        return _ONE_POD
    return _MNNVL_OF_VLLM if mappings_at(template.spec, "resourceClaims") else None


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
