"""From v1beta1 graphs to v1alpha1, the version in which the 1.2 operator's webhooks see every graph.

Source: ai-dynamo/dynamo deploy/operator/api/v1alpha1/shared_spec_conversion.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.components import SUB_TYPES

if TYPE_CHECKING:
    from lab.controller.api import Manifest

GROUP = "nvidia.com"
V1BETA1 = f"{GROUP}/v1beta1"
_MAIN = "main"
_GPU_RESOURCE = "nvidia.com/gpu"
_NAMED_RESOURCES = {"cpu": "cpu", "memory": "memory", _GPU_RESOURCE: "gpu"}
_GRAPH_FIELDS = {
    "annotations": "annotations",
    "backendFramework": "backendFramework",
    "env": "envs",
    "labels": "labels",
    "restart": "restart",
}
_COMPONENT_FIELDS = (
    *("eppConfig", "frontendSidecar", "globalDynamoNamespace", "modelRef", "multinode", "replicas"),
    "topologyConstraint",
)
# Fields of the main container that a v1alpha1 service has itself.
_SERVICE_FIELDS = {"env": "envs", "livenessProbe": "livenessProbe", "readinessProbe": "readinessProbe"}


def is_v1beta1(graph: Manifest) -> bool:
    """Whether the graph lists components rather than services."""
    return graph.get("apiVersion") == V1BETA1


def with_services(graph: Manifest) -> Manifest:
    """The graph with a v1alpha1 spec; its apiVersion, metadata and status stay what they are."""
    if not is_v1beta1(graph):
        return graph
    given: Manifest = graph.get("spec") or {}
    spec: Manifest = {new: given[old] for old, new in _GRAPH_FIELDS.items() if old in given}
    if "topologyConstraint" in given:
        constraint = dict(given["topologyConstraint"])
        constraint["topologyProfile"] = constraint.pop("clusterTopologyName")
        spec["topologyConstraint"] = constraint
    spec["services"] = {each["name"]: _service(each) for each in given.get("components") or []}
    return graph | {"spec": spec}


def _service(component: Manifest) -> Manifest:
    service: Manifest = {key: component[key] for key in _COMPONENT_FIELDS if key in component}
    kind: str = component.get("type", "")
    service["componentType"] = "worker" if kind in SUB_TYPES else kind
    if kind in SUB_TYPES:
        service["subComponentType"] = kind
    if "sharedMemorySize" in component:
        size = str(component["sharedMemorySize"])
        service["sharedMemory"] = {"disabled": True} if size == "0" else {"size": size}
    if "scalingAdapter" in component:
        service["scalingAdapter"] = {"enabled": True}
    if "compilationCache" in component:
        service["volumeMounts"] = [_compilation_cache(component["compilationCache"])]
    for name, setting in (component.get("experimental") or {}).items():
        service[name] = _experimental(setting)
    template: Manifest = component.get("podTemplate") or {}
    metadata: Manifest = template.get("metadata") or {}
    extra = {key: metadata[key] for key in ("annotations", "labels") if metadata.get(key)}
    if extra:
        service["extraPodMetadata"] = extra
    return service | _pod_fields(template.get("spec") or {})


def _pod_fields(pod: Manifest) -> Manifest:
    """The main container's fields that a service has itself, and the rest as extraPodSpec."""
    extra: Manifest = {key: value for key, value in pod.items() if key != "containers"}
    containers: list[Manifest] = pod.get("containers") or []
    others = [each for each in containers if each["name"] != _MAIN]
    if others:
        extra["containers"] = others
    fields: Manifest = {}
    for main in (each for each in containers if each["name"] == _MAIN):
        fields |= {new: main[old] for old, new in _SERVICE_FIELDS.items() if main.get(old)}
        if main.get("resources"):
            fields["resources"] = _resources(main["resources"])
        taken = {"name", "resources", *_SERVICE_FIELDS}
        extra["mainContainer"] = {key: value for key, value in main.items() if key not in taken}
    return fields | ({"extraPodSpec": extra} if extra else {})


def _resources(native: Manifest) -> Manifest:
    result: Manifest = {}
    for kind in ("requests", "limits"):
        amounts: Manifest = native.get(kind) or {}
        named = {_NAMED_RESOURCES[key]: str(amounts[key]) for key in _NAMED_RESOURCES if key in amounts}
        custom = {key: str(value) for key, value in amounts.items() if key not in _NAMED_RESOURCES}
        if amounts:
            result[kind] = named | ({"custom": custom} if custom else {})
    if native.get("claims"):
        result["claims"] = native["claims"]
    return result


def _compilation_cache(cache: Manifest) -> Manifest:
    mount: Manifest = {"name": cache["pvcName"], "useAsCompilationCache": True}
    return mount | ({"mountPoint": cache["mountPath"]} if "mountPath" in cache else {})


def _experimental(setting: Manifest) -> dict[str, Any]:
    """v1beta1 has what is there enabled, and spells the modes of memory service and failover IntraPod."""
    mode = setting.get("mode", "")
    spelt = {"mode": mode[0].lower() + mode[1:]} if mode.endswith("Pod") else {}
    return setting | spelt | {"enabled": True}
