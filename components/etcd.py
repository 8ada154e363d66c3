"""etcd members for Dynamo's discovery: one, or three that survive the loss of one."""

from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from components.options import ALONE, Resources, child
from components.stateful_servers import POD_NAME, probe, register_servers
from stacks.plan.platform.etcd_command import (
    CLIENT_PORT,
    DATA_PATH,
    METRICS_PORT,
    PEER_PORT,
    STATE_VARIABLE,
    etcd_command,
)
from stacks.plan.platform.platform_plan import Servers
from stacks.plan.volume_sizes import GIB, size_in_gib
from stacks.settings.platform import OwnEtcd

_STATE_KEY = "initial-cluster-state"
# etcd's own default, far above what discovery needs.
_LARGEST_QUOTA_BYTES = 2 * GIB
# The log, snapshots and the second copy that defragmentation writes stand beside the database.
_SHARE_OF_VOLUME = 3


class Etcd(pulumi.ComponentResource):
    """A StatefulSet of upstream's image; the chart's own is a single member of an archived one."""

    def __init__(
        self,
        name: str,
        servers: Servers,
        *,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"name": servers.name, "namespace": servers.namespace, "members": servers.typed.members}
        super().__init__("dynamo-stack:components:Etcd", name, inputs, opts)
        state_name = f"{servers.name}-state"
        rejoins = isinstance(servers.typed, OwnEtcd) and servers.typed.rejoining
        # Not in the pod template: there, a change would restart the healthy members one by one while
        # another is lost, and three members without two of them have no quorum.
        state = ConfigMap(
            f"{name}-state",
            metadata={"name": state_name, "namespace": servers.namespace},
            data={_STATE_KEY: "existing" if rejoins else "new"},
            opts=child(self, depends_on, delete=ALONE),
        )
        register_servers(
            self,
            name,
            servers,
            _container(servers, state_name),
            depends_on=[*depends_on, state],
            data_path=DATA_PATH,
            # A leader hands over before it ends.
            termination_seconds=30,
        )
        self.register_outputs({"name": servers.name})


def _container(servers: Servers, state_name: str) -> dict[str, Any]:
    state = {"name": state_name, "key": _STATE_KEY}
    quota_bytes = min(_LARGEST_QUOTA_BYTES, size_in_gib(servers.typed.volume_size) * GIB // _SHARE_OF_VOLUME)
    return {
        "name": "etcd",
        "image": servers.image,
        "command": etcd_command(servers.hosts, quota_bytes),
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
