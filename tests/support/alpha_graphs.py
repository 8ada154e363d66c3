"""Graphs of ours in the words of v1alpha1, which this project reads and does not write: states have some."""

from dataclasses import replace
from typing import Any

from resource_graph import Resource, ResourceGraph

_OWN_NAMES = {"nvidia.com/gpu": "gpu", "cpu": "cpu", "memory": "memory"}
_SUB_TYPES = ("prefill", "decode")


def with_alpha_graphs(resources: ResourceGraph) -> ResourceGraph:
    """The same resources, each DynamoGraphDeployment as v1alpha1."""
    return ResourceGraph(map(_resource, resources), resources.lacks)


def alpha_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """The v1alpha1 `spec` that makes the same pods."""
    services = {component["name"]: _service(component) for component in spec["components"]}
    # In the order in which the engine has the keys of a mapping.
    return {"backendFramework": spec["backendFramework"], "services": dict(sorted(services.items()))}


def _resource(resource: Resource) -> Resource:
    resource = replace(resource, dependencies=frozenset(map(_renamed, resource.dependencies)))
    if resource.kind != "DynamoGraphDeployment":
        return resource
    spec: Any = resource.inputs["spec"]
    inputs = {**resource.inputs, "apiVersion": "nvidia.com/v1alpha1", "spec": alpha_spec(spec)}
    return replace(resource, urn=_renamed(resource.urn), type=_renamed(resource.type), inputs=inputs)


def _renamed(text: str) -> str:
    """A URN or a type, with that of a graph."""
    beta, alpha = (f"nvidia.com/{version}:DynamoGraphDeployment" for version in ("v1beta1", "v1alpha1"))
    return text.replace(beta, alpha)


def _service(component: dict[str, Any]) -> dict[str, Any]:
    pod = dict(component["podTemplate"]["spec"])
    main, *others = pod.pop("containers")
    container = {key: value for key, value in main.items() if key not in ("name", "resources")}
    sub_type = component["type"] if component["type"] in _SUB_TYPES else None
    service: dict[str, Any] = {
        "componentType": "worker" if sub_type else component["type"],
        "subComponentType": sub_type,
        "replicas": component["replicas"],
        "resources": {
            kind: amounts if kind == "claims" else _amounts(amounts)
            for kind, amounts in main["resources"].items()
        },
        "extraPodSpec": {**pod, "mainContainer": container, **({"containers": others} if others else {})},
        "extraPodMetadata": component["podTemplate"].get("metadata"),
        "sharedMemory": {"size": component["sharedMemorySize"]} if "sharedMemorySize" in component else None,
    }
    return {key: value for key, value in service.items() if value is not None}


def _amounts(amounts: dict[str, str]) -> dict[str, Any]:
    own = {_OWN_NAMES[name]: amount for name, amount in amounts.items() if name in _OWN_NAMES}
    devices = {name: amount for name, amount in amounts.items() if name not in _OWN_NAMES}
    return {**own, "custom": devices} if devices else own
