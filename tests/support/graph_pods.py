"""The pods of a graph as a test asks about them. It shares nothing with what writes the graphs."""

from typing import Any


def pods_of(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Service name -> its type, replicas, annotations, shared memory and pod spec, lists in one order."""
    return {component["name"]: _of_component(component) for component in spec["components"]}


def main_of(pod: dict[str, Any]) -> dict[str, Any]:
    """The container with the engine or the frontend, its environment as a mapping."""
    [container] = [each for each in pod["spec"]["containers"] if each["name"] == "main"]
    return container


def mains_by_type(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Type of a component -> its main container."""
    return {pod["type"]: main_of(pod) for pod in pods_of(spec).values()}


def _of_component(component: dict[str, Any]) -> dict[str, Any]:
    template = component["podTemplate"]
    pod = template["spec"]
    container, *others = pod["containers"]
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    assert len(variables) == len(container["env"]), "a variable is named twice"
    mounts = sorted(container["volumeMounts"], key=lambda mount: mount["mountPath"])
    main = container | {"env": variables, "volumeMounts": mounts}
    volumes = sorted(pod["volumes"], key=lambda volume: volume["name"])
    return {
        "type": component["type"],
        "replicas": component["replicas"],
        "annotations": template.get("metadata", {}).get("annotations", {}),
        "sharedMemory": component.get("sharedMemorySize"),
        "spec": pod | {"containers": [main, *others], "volumes": volumes},
    }
