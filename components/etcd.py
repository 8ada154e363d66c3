"""etcd members for Dynamo's discovery: one, or three that survive the loss of one."""

from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from components import deletion
from components.etcd_command import (
    CLIENT_PORT,
    DATA_PATH,
    METRICS_PORT,
    PEER_PORT,
    STATE_VARIABLE,
    etcd_command,
)
from components.options import Resources, child
from components.servers import EtcdArgs
from components.stateful_servers import POD_NAME, probe, register_servers

_STATE_KEY = "initial-cluster-state"


class Etcd(pulumi.ComponentResource):
    """A StatefulSet of upstream's image; the chart's own is a single member of an archived one."""

    def __init__(
        self, name: str, args: EtcdArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        servers = args.servers
        inputs = {"name": servers.name, "namespace": servers.namespace, "members": servers.members}
        super().__init__("dynamo-stack:components:Etcd", name, inputs, opts)
        # Not in the pod template: there, a change would restart the healthy members one by one while
        # another is lost, and three members without two of them have no quorum.
        state = ConfigMap(
            f"{name}-state",
            metadata={"name": args.state_config_map_name, "namespace": servers.namespace},
            data={_STATE_KEY: "existing" if args.rejoining else "new"},
            opts=child(self, depends_on, delete=deletion.ALONE),
        )
        register_servers(
            self,
            name,
            servers,
            _container(args),
            [*depends_on, state],
            data_path=DATA_PATH,
            # A leader hands over before it ends.
            termination_seconds=30,
        )
        self.register_outputs({"name": servers.name})


def _container(args: EtcdArgs) -> dict[str, Any]:
    servers = args.servers
    state = {"name": args.state_config_map_name, "key": _STATE_KEY}
    return {
        "name": "etcd",
        "image": servers.image,
        "command": etcd_command(servers.hosts, args.quota_bytes),
        "env": [POD_NAME, {"name": STATE_VARIABLE, "valueFrom": {"configMapKeyRef": state}}],
        "ports": [
            {"name": "client", "containerPort": CLIENT_PORT},
            {"name": "peer", "containerPort": PEER_PORT},
            {"name": "metrics", "containerPort": METRICS_PORT},
        ],
        # No limit on CPU: a throttled leader misses heartbeats, and an election costs every client a second.
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}},
        # Both since 3.5.11. /readyz needs a quorum, so as liveness it would restart healthy members one
        # after another exactly while they wait for a lost one (https://etcd.io/docs/v3.5/op-guide/monitoring).
        "startupProbe": probe("metrics", "/livez", period=5, failures=60),
        "livenessProbe": probe("metrics", "/livez", failures=6),
        "readinessProbe": probe("metrics", "/readyz", period=5, failures=3),
    }
