"""How workers and frontend find each other: the servers, and the variables that lead to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components import etcd_command, nats_configuration
from compose.containers import ran
from compose.options import Network
from recipes.images import mirrored
from stacks.plan.versions import ETCD_IMAGE, NATS_IMAGE

ETCD, NATS = "etcd", "nats"
_NATS_FILE = nats_configuration.CONFIGURATION_FILE


@dataclass(frozen=True, slots=True)
class Discovery:
    """What workers and frontend need to find each other; a server without Dynamo needs nothing."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of frontend and workers."""
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Servers, which must be healthy first."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> text, beside the compose file."""


def discovery_by_etcd(network: Network, mirrors: Mapping[str, str]) -> Discovery:
    """Return etcd, with NATS for events: what the publisher's guides for one host run."""
    etcd = f"http://{network.host_of(ETCD)}:{etcd_command.CLIENT_PORT}"
    nats = f"nats://{network.host_of(NATS)}:{nats_configuration.CLIENT_PORT}"
    return Discovery(
        environment={"DYN_DISCOVERY_BACKEND": "etcd", "ETCD_ENDPOINTS": etcd, "NATS_SERVER": nats},
        services={
            ETCD: {**_etcd(mirrored(ETCD_IMAGE, mirrors), etcd, network), **network.fields},
            NATS: {**_nats(mirrored(NATS_IMAGE, mirrors)), **network.fields},
        },
        files={_NATS_FILE: _nats_file(network.own_address)},
    )


def _etcd(image: str, address: str, network: Network) -> dict[str, Any]:
    command = [
        "etcd",
        f"--data-dir={etcd_command.DATA_PATH}/member-data",
        f"--listen-client-urls=http://{network.own_address}:{etcd_command.CLIENT_PORT}",
        f"--advertise-client-urls={address}",
        # Off by default (0): every lease renewal would stay in the history until the quota is full.
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=1h",
    ]
    return _server(image, command, ran("CMD", "etcdctl", "endpoint", "health"))


def _nats(image: str) -> dict[str, Any]:
    path = f"{nats_configuration.CONFIGURATION_PATH}/{_NATS_FILE}"
    url = f"http://127.0.0.1:{nats_configuration.MONITOR_PORT}/healthz?js-server-only=true"
    server = _server(
        image, ["nats-server", f"--config={path}"], ran("CMD", "wget", "-q", "-O", "/dev/null", url)
    )
    return {**server, "volumes": [f"./{_NATS_FILE}:{path}:ro"]}


def _server(image: str, command: list[str], healthcheck: dict[str, Any]) -> dict[str, Any]:
    return {
        "image": image,
        "entrypoint": command,
        "restart": "unless-stopped",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "healthcheck": healthcheck,
    }


def _nats_file(address: str) -> str:
    """Return the server's configuration: no flag of it raises the largest message."""
    settings = {
        "listen": f"{address}:{nats_configuration.CLIENT_PORT}",
        "http": f"{address}:{nats_configuration.MONITOR_PORT}",
        "max_payload": nats_configuration.MAX_PAYLOAD_BYTES,
        "jetstream": {"store_dir": nats_configuration.DATA_PATH, "max_memory_store": 0},
    }
    return json.dumps(settings, indent=2) + "\n"
