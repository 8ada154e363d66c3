"""The services of a graph in one shape, whatever API version they are written in: components of v1beta1.

As the operator converts a v1alpha1 service before it makes anything of it (ai-dynamo/dynamo
deploy/operator/api/v1alpha1/shared_spec_conversion.go), as far as this project has ever written one.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from stacks.updates.nested import mapping_in, mappings_in

MAIN_CONTAINER = "main"
GPU = "nvidia.com/gpu"

_CONVERTED = frozenset(
    {
        "annotations",
        "componentType",
        "extraPodMetadata",
        "extraPodSpec",
        "labels",
        "resources",
        "sharedMemory",
        "subComponentType",
        "volumeMounts",
    }
)


def components_in(spec: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """Return the components of a graph's `spec`.

    Those made of a v1alpha1 service have its own annotations too, under `annotations`: they reach its pods,
    and stay beside them as a part of what the operator compares.
    """
    yield from mappings_in(spec, "components")
    for name, service in mapping_in(spec, "services").items():
        yield _component(name, mapping_in(service))


def main_container(component: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the container with the engine or the frontend; empty where there is none."""
    containers = mappings_in(component, "podTemplate", "spec", "containers")
    return next((item for item in containers if item.get("name") == MAIN_CONTAINER), mapping_in(None))


def _component(name: str, service: Mapping[str, Any]) -> dict[str, Any]:
    component: dict[str, Any] = {key: value for key, value in service.items() if key not in _CONVERTED}
    component |= {"name": name, "type": service.get("subComponentType") or service.get("componentType")}
    size = mapping_in(service, "sharedMemory").get("size")
    if size is not None:
        component["sharedMemorySize"] = size
    own = mapping_in(service, "annotations")
    if own:
        component["annotations"] = own
    component["podTemplate"] = {"spec": _pod(service)}
    annotations = {**own, **mapping_in(service, "extraPodMetadata", "annotations")}
    if annotations:
        component["podTemplate"]["metadata"] = {"annotations": annotations}
    return component


def _pod(service: Mapping[str, Any]) -> dict[str, Any]:
    pod = dict(mapping_in(service, "extraPodSpec"))
    main = {**mapping_in(pod.pop("mainContainer", None)), "name": MAIN_CONTAINER}
    flat = mappings_in(service, "volumeMounts")
    # Before 1.4 the mounts of the main container take the place of the service's (ai-dynamo/dynamo#11263).
    if flat and not main.get("volumeMounts"):
        names = [mount.get("name") for mount in flat]
        main["volumeMounts"] = [
            {"name": mount.get("name"), "mountPath": mount.get("mountPoint")} for mount in flat
        ]
        claims = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
        pod["volumes"] = [*mappings_in(pod, "volumes"), *claims]
    if "resources" in service:
        main["resources"] = _resources(mapping_in(service, "resources"))
    return pod | {"containers": [main]}


def _resources(resources: Mapping[str, Any]) -> dict[str, Any]:
    written = dict(resources)
    for kind in ("requests", "limits"):
        amounts = dict(mapping_in(resources, kind))
        if "gpu" in amounts:
            amounts[GPU] = amounts.pop("gpu")
        written[kind] = amounts | dict(mapping_in(amounts.pop("custom", None)))
    return written
