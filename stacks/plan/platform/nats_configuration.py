"""Command line and configuration of a NATS server, apart from Pulumi so that they can be run as they are."""

import json
from collections.abc import Mapping
from typing import Any

CLIENT_PORT = 4222
CLUSTER_PORT = 6222
MONITOR_PORT = 8222
DATA_PATH = "/data"
CONFIGURATION_PATH = "/etc/nats"
CONFIGURATION_FILE = "nats.conf"
PROCESS_PATH = "/var/run/nats"

# As the platform's chart 1.2.0 sets it; the server's default of 1 MiB refuses long prompts
# (ai-dynamo/dynamo deploy/helm/charts/platform/values.yaml, d50a02f75).
MAX_PAYLOAD_BYTES = 15 * 1024 * 1024
LAME_DUCK_GRACE_SECONDS = 10
LAME_DUCK_SECONDS = 30

_PROCESS_FILE = f"{PROCESS_PATH}/nats.pid"


def nats_command() -> list[str]:
    """Return the command line; the kubelet replaces $(POD_NAME), because the file is the same for all."""
    return ["nats-server", f"--config={CONFIGURATION_PATH}/{CONFIGURATION_FILE}", "--name=$(POD_NAME)"]


def lame_duck_command() -> list[str]:
    """Return what moves the clients to the other servers before this one ends."""
    return ["nats-server", f"-sl=ldm={_PROCESS_FILE}"]


def nats_configuration(cluster_name: str, hosts: Mapping[str, str], max_file_store_bytes: int) -> str:
    """Return the configuration file, in JSON, which the server reads as well as its own syntax.

    Args:
        cluster_name: name of the group of servers.
        hosts: DNS name of each server, by the server's name.
        max_file_store_bytes: what streams may take on the volume.

    """
    settings: dict[str, Any] = {
        "listen": f"0.0.0.0:{CLIENT_PORT}",
        "http": f"0.0.0.0:{MONITOR_PORT}",
        "pid_file": _PROCESS_FILE,
        "max_payload": MAX_PAYLOAD_BYTES,
        "lame_duck_grace_period": f"{LAME_DUCK_GRACE_SECONDS}s",
        "lame_duck_duration": f"{LAME_DUCK_SECONDS}s",
        # None in memory, as NATS' chart has it: left out, streams there may take 75 % of the node's.
        "jetstream": {"store_dir": DATA_PATH, "max_file_store": max_file_store_bytes, "max_memory_store": 0},
    }
    if len(hosts) > 1:
        settings["cluster"] = {
            "name": cluster_name,
            "listen": f"0.0.0.0:{CLUSTER_PORT}",
            # Clients know the Service; the pods' own addresses change with every restart.
            "no_advertise": True,
            "routes": [f"nats://{host}:{CLUSTER_PORT}" for host in hosts.values()],
        }
    return json.dumps(settings, indent=2) + "\n"
