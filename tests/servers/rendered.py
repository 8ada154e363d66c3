"""What a stack with its own NATS and etcd gives their pods, recorded from the real program."""

from functools import cache
from typing import Any

from resource_graph import ResourceGraph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.support.dev_settings import disagg_b200_settings, resolved


@cache
def recorded_servers(*, rejoining: bool = False) -> ResourceGraph:
    """A stack with three NATS servers and three etcd members."""
    settings = disagg_b200_settings()
    settings["platform"] |= {
        "discovery": "etcd",
        "etcd": {"kind": "own", "members": 3, "storageClassName": "fast-disks", "rejoining": rejoining},
    }
    return record(lambda: deploy(resolved(settings)), project="dynamo-stack", stack="servers")


def container_of(graph: ResourceGraph, name: str) -> dict[str, Any]:
    """The one container of a StatefulSet's pods."""
    [found] = graph.kubernetes_objects_named("StatefulSet", name, "dynamo-system")
    spec: Any = found.inputs["spec"]
    [container] = spec["template"]["spec"]["containers"]
    return container


def data_of(graph: ResourceGraph, name: str) -> dict[str, str]:
    """The content of the ConfigMap whose name begins so."""
    maps: list[Any] = [dict(item.inputs) for item in graph.kubernetes_objects("ConfigMap")]
    [data] = [item["data"] for item in maps if item["metadata"]["name"].startswith(name)]
    return data


def expanded(command: list[str], variables: dict[str, str]) -> list[str]:
    """The command line as the kubelet starts it; an unknown variable would stay and fail the server."""
    for name, value in variables.items():
        command = [word.replace(f"$({name})", value) for word in command]
    return command
