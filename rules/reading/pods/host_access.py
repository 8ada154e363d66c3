"""What lets a pod out of its isolation, and the KV transports that are said to need it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import ResourceGraph, Value
from rules.reading.nodes.network_devices import EFA_RESOURCE, is_network_device
from rules.reading.once import once_per_graph
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.pods import PodTemplate, Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at

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


@dataclass(frozen=True, slots=True)
class HostAccess:
    """One way out."""

    what: str
    """For messages: `container main is privileged`."""
    asked_by: str | None
    """The KV transport that it is for, and the source that says so; None for none."""
    is_privilege: bool
    """A privileged container, and not a namespace of the node."""


def host_accesses(graph: ResourceGraph, template: PodTemplate) -> Sequence[HostAccess]:
    """Privileged containers and namespaces of the node, of every container of the pod.

    Raises:
        Undecided: one of them is unknown.
    """
    return tuple(_accesses(graph, template))


def asks_for_network_device(template: PodTemplate, container: Mapping[str, Value]) -> bool:
    """Whether the container asks a device plugin for an EFA, InfiniBand or RoCE device."""
    return bool(_network_devices(template, container))


def runs_an_engine(graph: ResourceGraph, template: PodTemplate) -> bool:
    """Whether the pod has GPUs or starts an engine, or may do so.

    Guides differ in how much such a pod is to be let out for, so nobody can say that it is for nothing.
    """
    if template.shape != "workload":
        return template.component_type not in _WITHOUT_GPUS
    return template in _engines_of_pods(graph) or template.resource.urn in _unreadable(graph)


@once_per_graph
def _unreadable(graph: ResourceGraph) -> frozenset[str]:
    """The resources whose workers nobody can read."""
    return frozenset(worker.resource.urn for worker in read_workers(graph) if isinstance(worker, Unreadable))


def _accesses(graph: ResourceGraph, template: PodTemplate) -> Iterator[HostAccess]:
    for key in _NAMESPACES:
        if _is_set(template.spec, key):
            asked_by = _asks_for_ipc(graph, template) if key == "hostIPC" else None
            yield HostAccess(
                f"shares the node's {key.removeprefix('host')} ({key})", asked_by, is_privilege=False
            )
    for name, container in all_containers(template):
        if _is_set(container, "securityContext", "privileged"):
            asked_by = _asks_for_privileges(template, container)
            yield HostAccess(f"container {name} is privileged", asked_by, is_privilege=True)


def _is_set(parent: Mapping[str, Value], *path: str) -> bool:
    value = field(parent, *path)
    if value is None or isinstance(value, bool):
        return value is True
    raise Undecided(f"{'.'.join(path)} is neither true nor false")


def _asks_for_privileges(template: PodTemplate, container: Mapping[str, Value]) -> str | None:
    devices = _network_devices(template, container)
    if EFA_RESOURCE in devices:
        return _EFA
    return _RDMA if devices else None


def _network_devices(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[str]:
    asked = [mapping_at(container, "resources", "limits")]
    if template.shape == "service" and container is template.main:
        asked.append(mapping_at(template.described_by, "resources", "limits", "custom"))
        asked.append(mapping_at(template.described_by, "resources", "requests", "custom"))
    names = (name for resources in asked for name in resources)
    return [name for name in names if is_network_device(name)]


def _asks_for_ipc(graph: ResourceGraph, template: PodTemplate) -> str | None:
    engines = _engines_of_pods(graph).get(template, [])
    if not any("vllm" in engine for engine in engines):
        return None
    if len(engines) > 1:
        return _ONE_POD
    return _MNNVL_OF_VLLM if mappings_at(template.spec, "resourceClaims") else None


@once_per_graph
def _engines_of_pods(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[str]]:
    engines: dict[PodTemplate, list[str]] = {}
    for worker in read_workers(graph):
        if isinstance(worker, Worker):
            started = [command.engine for command in worker.commands]
            engines.setdefault(worker.template, []).extend(started)
    return engines
