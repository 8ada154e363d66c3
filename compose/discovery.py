"""How workers and frontend find each other: the servers, and the variables that lead to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compose.containers import ran
from recipes.images import mirrored
from stacks.plan.platform import etcd_command, nats_configuration
from stacks.plan.versions import ETCD_IMAGE, NATS_IMAGE

ETCD, NATS = "etcd", "nats"
_NATS_FILE = nats_configuration.CONFIGURATION_FILE
_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - of the project's own network


@dataclass(frozen=True, slots=True)
class Discovery:
    """What workers and frontend need to find each other; a server without Dynamo needs nothing."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of frontend and workers."""
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Servers, which must be healthy first."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> text, beside the compose file."""


def discovery_by_etcd(mirrors: Mapping[str, str]) -> Discovery:
    """Return etcd, with NATS for events: what the publisher's guides for one host run."""
    etcd = f"http://{ETCD}:{etcd_command.CLIENT_PORT}"
    nats = f"nats://{NATS}:{nats_configuration.CLIENT_PORT}"
    return Discovery(
        environment={"DYN_DISCOVERY_BACKEND": "etcd", "ETCD_ENDPOINTS": etcd, "NATS_SERVER": nats},
        services={
            ETCD: _etcd(mirrored(ETCD_IMAGE, mirrors), etcd),
            NATS: _nats(mirrored(NATS_IMAGE, mirrors)),
        },
        files={_NATS_FILE: _nats_file()},
    )


def _etcd(image: str, address: str) -> dict[str, Any]:
    command = [
        "etcd",
        f"--data-dir={etcd_command.DATA_PATH}/member-data",
        f"--listen-client-urls=http://{_EVERY_ADDRESS}:{etcd_command.CLIENT_PORT}",
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


def _nats_file() -> str:
    """Return the server's configuration: no flag of it raises the largest message."""
    settings = {
        "listen": f"{_EVERY_ADDRESS}:{nats_configuration.CLIENT_PORT}",
        "http": f"{_EVERY_ADDRESS}:{nats_configuration.MONITOR_PORT}",
        "max_payload": nats_configuration.MAX_PAYLOAD_BYTES,
        "jetstream": {"store_dir": nats_configuration.DATA_PATH, "max_memory_store": 0},
    }
    return json.dumps(settings, indent=2) + "\n"
