"""Which fields of graphs are simulated, and what each is called in the other version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.controller.api import Manifest

# v1alpha1 -> v1beta1, of a graph's spec beside services and components.
OF_GRAPH = {"backendFramework": "backendFramework", "envs": "env"}
# Fields of the main container, which v1alpha1 has in two places: service -> container.
TWO_PLACES = {
    "envs": "env",
    "resources": "resources",
    "volumeMounts": "volumeMounts",
    "livenessProbe": "livenessProbe",
    "readinessProbe": "readinessProbe",
}
_SERVICE = frozenset(
    {
        *TWO_PLACES,
        *("annotations", "componentType", "extraPodMetadata", "extraPodSpec", "replicas"),
        *("sharedMemory", "subComponentType"),
    }
)
_COMPONENT = frozenset({"name", "podTemplate", "replicas", "sharedMemorySize", "type"})
_TYPES = frozenset({"frontend", "worker", "prefill", "decode"})
_RESOURCES = frozenset({"cpu", "memory", "gpu", "custom"})


class NotSimulated(ValueError):  # noqa: N818  # named for what is said of the graph
    """A graph uses a field that the real operator knows and this one does not."""


def demand_simulated(spec: Manifest) -> None:
    """Raises NotSimulated at the first field that would be lost in silence."""
    for path in _unknown(spec):
        raise NotSimulated(f"SIMULATED CLUSTER: {path} is not simulated")


def _unknown(spec: Manifest) -> Iterator[str]:
    own = {*OF_GRAPH, *OF_GRAPH.values(), "pvcs", "services", "components"}
    yield from (f"spec.{key}" for key in spec if key not in own)
    for index, claim in enumerate(spec.get("pvcs") or []):
        if claim.get("create"):
            yield f"spec.pvcs[{index}].create"
    for name, service in (spec.get("services") or {}).items():
        where = f"spec.services[{name}]"
        yield from (f"{where}.{key}" for key in service if key not in _SERVICE)
        if service.get("componentType") not in _TYPES:
            yield f"{where}.componentType {service.get('componentType')}"
        if any(mount.get("useAsCompilationCache") for mount in service.get("volumeMounts") or []):
            yield f"{where}.volumeMounts[].useAsCompilationCache"
        memory: Manifest = service.get("sharedMemory") or {}
        yield from (f"{where}.sharedMemory.{key}" for key in memory if key != "size")
        resources: Manifest = service.get("resources") or {}
        for kind in ("limits", "requests"):
            amounts: Manifest = resources.get(kind) or {}
            yield from (f"{where}.resources.{kind}.{key}" for key in amounts if key not in _RESOURCES)
    for component in spec.get("components") or []:
        where = f"spec.components[{component['name']}]"
        yield from (f"{where}.{key}" for key in component if key not in _COMPONENT)
        if component.get("type") not in _TYPES:
            yield f"{where}.type {component.get('type')}"
        if str(component.get("sharedMemorySize")) == "0":
            yield f"{where}.sharedMemorySize 0"
