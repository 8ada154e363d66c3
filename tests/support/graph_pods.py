"""The pods that the operator of the 1.2 line makes of a graph, from either API version.

Written by hand from the operator's conversion (ai-dynamo/dynamo deploy/operator/api, v1alpha1 -> v1beta1),
with its defect: mounts of the main container take the place of the service's. It shares nothing with what
writes the graphs.
"""

from __future__ import annotations

from typing import Any


def pods_of(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Service name -> its type, replicas, annotations, shared memory and pod spec, lists in one order."""
    if "services" in spec:
        return {name: _of_service(spec, service) for name, service in spec["services"].items()}
    return {component["name"]: _of_component(component) for component in spec["components"]}


def main_of(pod: dict[str, Any]) -> dict[str, Any]:
    """The container with the engine or the frontend, its environment as a mapping."""
    [container] = [each for each in pod["spec"]["containers"] if each["name"] == "main"]
    return container


def _of_service(spec: dict[str, Any], service: dict[str, Any]) -> dict[str, Any]:
    pod = {key: value for key, value in service["extraPodSpec"].items() if key != "mainContainer"}
    others = pod.get("containers", [])
    claims = {entry["name"] for entry in spec.get("pvcs", []) if entry["create"] is False}
    mounts: list[dict[str, Any]] = []
    for mount in service.get("volumeMounts", []):
        assert mount["name"] in claims, f"{mount['name']} is not among the graph's claims"
        mounts.append({"name": mount["name"], "mountPath": mount["mountPoint"]})
    own = service["extraPodSpec"]["mainContainer"]
    container = own | {
        "name": "main",
        "volumeMounts": own.get("volumeMounts") or mounts,
        "resources": _resources(service["resources"]),
    }
    named = {volume["name"] for volume in pod.get("volumes", [])}
    used = {mount["name"] for mount in container["volumeMounts"]} - named
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in sorted(used)]
    return _pod(
        service.get("subComponentType", service["componentType"]),
        service["replicas"],
        # Those of the service reach the pods, but no rollout between two generations of workers.
        service.get("extraPodMetadata", {}).get("annotations", {}),
        service.get("sharedMemory", {}).get("size"),
        pod | {"volumes": [*pod.get("volumes", []), *volumes], "containers": [container, *others]},
    )


def _of_component(component: dict[str, Any]) -> dict[str, Any]:
    template = component["podTemplate"]
    return _pod(
        component["type"],
        component["replicas"],
        template.get("metadata", {}).get("annotations", {}),
        component.get("sharedMemorySize"),
        template["spec"],
    )


def _pod(
    kind: str, replicas: int, annotations: dict[str, str], shared_memory: str | None, pod: dict[str, Any]
) -> dict[str, Any]:
    container, *others = pod["containers"]
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    assert len(variables) == len(container["env"]), "a variable is named twice"
    mounts = sorted(container["volumeMounts"], key=lambda mount: mount["mountPath"])
    main = container | {"env": variables, "volumeMounts": mounts}
    volumes = sorted(pod["volumes"], key=lambda volume: volume["name"])
    return {
        "type": kind,
        "replicas": replicas,
        "annotations": annotations,
        "sharedMemory": shared_memory,
        "spec": pod | {"containers": [main, *others], "volumes": volumes},
    }


def _resources(resources: dict[str, Any]) -> dict[str, Any]:
    written = dict(resources)
    for kind in ("requests", "limits"):
        amounts = dict(resources[kind])
        if "gpu" in amounts:
            amounts["nvidia.com/gpu"] = amounts.pop("gpu")
        written[kind] = amounts | amounts.pop("custom", {})
    return written
