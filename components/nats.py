"""NATS servers with JetStream, which carry Dynamo's events: one, or three that survive the loss of one."""

from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from components.options import ALONE, Resources, child
from components.stateful_servers import POD_NAME, probe, register_servers
from recipes.engine_files import content_hash
from stacks.plan.platform.nats_configuration import (
    CLIENT_PORT,
    CLUSTER_PORT,
    CONFIGURATION_FILE,
    CONFIGURATION_PATH,
    DATA_PATH,
    LAME_DUCK_GRACE_SECONDS,
    LAME_DUCK_SECONDS,
    MONITOR_PORT,
    PROCESS_PATH,
    lame_duck_command,
    nats_command,
    nats_configuration,
)
from stacks.plan.platform.platform_plan import Servers
from stacks.plan.volume_sizes import GIB, size_in_gib

# A file system of 10 GiB holds less than 10 GiB; JetStream stops for good when a write finds no room.
_STREAM_PERCENT_OF_VOLUME = 90
_CONFIGURATION_VOLUME = "configuration"
_PROCESS_VOLUME = "process"
# For the last message and for what the kubelet itself needs.
_TERMINATION_MARGIN_SECONDS = 20


class Nats(pulumi.ComponentResource):
    """A StatefulSet with the settings of NATS' own chart, and none of its helper containers."""

    def __init__(
        self,
        name: str,
        servers: Servers,
        *,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"name": servers.name, "namespace": servers.namespace, "members": servers.typed.members}
        super().__init__("dynamo-stack:components:Nats", name, inputs, opts)
        store_bytes = size_in_gib(servers.typed.volume_size) * GIB * _STREAM_PERCENT_OF_VOLUME // 100
        configuration = nats_configuration(servers.name, servers.hosts, store_bytes)
        # The content is in the name, so that a change restarts the servers, one by one; in the logical name
        # too, so that a change which fails half way can be taken back (components/dynamo_graph.py says why).
        config_map_name = f"{servers.name}-config-{content_hash(configuration)}"
        config_map = ConfigMap(
            config_map_name,
            metadata={"name": config_map_name, "namespace": servers.namespace},
            data={CONFIGURATION_FILE: configuration},
            immutable=True,
            opts=child(self, depends_on, delete=ALONE),
        )
        register_servers(
            self,
            name,
            servers,
            _container(servers),
            depends_on=[*depends_on, config_map],
            data_path=DATA_PATH,
            termination_seconds=LAME_DUCK_GRACE_SECONDS + LAME_DUCK_SECONDS + _TERMINATION_MARGIN_SECONDS,
            volumes=(
                {"name": _CONFIGURATION_VOLUME, "configMap": {"name": config_map_name}},
                {"name": _PROCESS_VOLUME, "emptyDir": {}},
            ),
        )
        self.register_outputs({"name": servers.name})


def _container(servers: Servers) -> dict[str, Any]:
    ports = [{"name": "client", "containerPort": CLIENT_PORT}]
    if servers.typed.members > 1:
        ports.append({"name": "cluster", "containerPort": CLUSTER_PORT})
    ports.append({"name": "monitor", "containerPort": MONITOR_PORT})
    return {
        "name": "nats",
        "image": servers.image,
        "command": nats_command(),
        # Go collects more often near this, instead of being killed at the limit.
        "env": [POD_NAME, {"name": "GOMEMLIMIT", "value": "900MiB"}],
        "ports": ports,
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}},
        "volumeMounts": [
            {"name": _CONFIGURATION_VOLUME, "mountPath": CONFIGURATION_PATH, "readOnly": True},
            {"name": _PROCESS_VOLUME, "mountPath": PROCESS_PATH},
        ],
        "lifecycle": {"preStop": {"exec": {"command": lame_duck_command()}}},
        # As NATS' chart 1.3.2. The bare path also wants every stream caught up, which is right before a
        # server's first message and wrong afterwards: one stream's trouble would take a server away.
        "startupProbe": probe("monitor", "/healthz", failures=90),
        "livenessProbe": probe("monitor", "/healthz?js-enabled-only=true", period=30, failures=3),
        "readinessProbe": probe("monitor", "/healthz?js-server-only=true", failures=3),
    }
