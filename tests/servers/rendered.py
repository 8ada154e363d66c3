"""What a stack with its own NATS and etcd gives their pods, recorded from the real components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components.etcd import Etcd, EtcdArgs
from components.nats import Nats, NatsArgs
from components.stateful_servers import StatefulServersArgs
from resource_graph.recorder import record

if TYPE_CHECKING:
    from resource_graph import ResourceGraph


def recorded_servers(*, rejoining: bool = False) -> ResourceGraph:
    """Three NATS servers and three etcd members."""

    def servers(name: str) -> StatefulServersArgs:
        return StatefulServersArgs(
            name=name,
            namespace="dynamo-system",
            members=3,
            image="example.com/servers:1",
            storage_class_name="gp3",
            volume_size="8Gi",
            keep_volumes=False,
            node_affinity={},
            ready_timeout_seconds=600,
        )

    def program() -> None:
        Nats("nats", NatsArgs(servers("dynamo-nats"), 2**30), depends_on=[])
        Etcd("etcd", EtcdArgs(servers("dynamo-etcd"), 2**30, rejoining), depends_on=[])

    return record(program, project="dynamo-stack", stack="servers")


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
