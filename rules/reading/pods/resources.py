"""What a pod's main container requests, and the shared memory that it mounts."""

from collections.abc import Mapping
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import field, mapping_at, mappings_at, text_at

# What the operator mounts at /dev/shm where nobody says (ai-dynamo/dynamo deploy/operator at 0367e40).
_OPERATORS_SHARED_MEMORY = "8Gi"
_SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108 - a path to look for, nothing is written there


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A tmpfs at /dev/shm."""

    size: Value
    source: str


def requested(template: PodTemplate, container: Mapping[str, Value], resource: str) -> Value:
    """What the container requests of cpu or memory; a limit counts, as Kubernetes takes it for the request.

    None where neither is given.

    Raises:
        Undecided: it is unknown.
    """
    request = _amount(template, container, "requests", resource)
    return limit(template, container, resource) if request is None else request


def limit(template: PodTemplate, container: Mapping[str, Value], resource: str) -> Value:
    """The container's limit of cpu or memory; None where there is none.

    Raises:
        Undecided: it is unknown.
    """
    return _amount(template, container, "limits", resource)


def shared_memory(template: PodTemplate, container: Mapping[str, Value]) -> SharedMemory | None:
    """What the container finds at /dev/shm; None where it has no volume there, or one without a size.

    Raises:
        Undecided: it is unknown.
    """
    own = _mounted(template, container)
    if own is not None:
        return own
    match template.shape:
        case "service":
            if field(template.described_by, "sharedMemory", "disabled") is True:
                return None
            size, source = field(template.described_by, "sharedMemory", "size"), "sharedMemory.size"
        case "component":
            size, source = field(template.described_by, "sharedMemorySize"), "sharedMemorySize"
        case "workload":
            return None
    if size is None:
        return SharedMemory(_OPERATORS_SHARED_MEMORY, "the operator's default")
    return SharedMemory(size, source)


def _mounted(template: PodTemplate, container: Mapping[str, Value]) -> SharedMemory | None:
    for mount in mappings_at(container, "volumeMounts"):
        if text_at(mount, "mountPath") != _SHARED_MEMORY_PATH:
            continue
        name = text_at(mount, "name")
        for volume in mappings_at(template.spec, "volumes"):
            if text_at(volume, "name") == name and field(volume, "emptyDir", "sizeLimit") is not None:
                return SharedMemory(field(volume, "emptyDir", "sizeLimit"), f"sizeLimit of volume {name}")
    return None


def _amount(template: PodTemplate, container: Mapping[str, Value], kind: str, resource: str) -> Value:
    if template.shape == "service" and container is template.main:
        amount = field(mapping_at(template.described_by, "resources", kind), resource)
        if amount is not None:
            return amount
    return field(container, "resources", kind, resource)
