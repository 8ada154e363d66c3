"""How workers and frontend find each other: the servers, and the variables that lead to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components import etcd_command, nats_configuration
from compose.containers import ran
from compose.options import ComposeOptions, Discovery
from recipes.images import mirrored
from stacks.plan.versions import ETCD_IMAGE, NATS_IMAGE

ETCD, NATS = "etcd", "nats"
_NATS_FILE = nats_configuration.CONFIGURATION_FILE
_DIRECTORY = "/run/dynamo"
_VOLUME = "discovery"
_USER = 1000
"""Of the runtime's image."""


@dataclass(frozen=True, slots=True)
class DiscoveryParts:
    """What the choice adds to the project."""

    environment: Mapping[str, str]
    """Of frontend and workers."""
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Servers, which must be healthy first."""
    mounts: tuple[str, ...] = ()
    """Of frontend and workers."""
    volumes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> text, beside the compose file."""
    is_directory: bool = False
    """Whether frontend and workers, of whatever user, write and remove files of one directory."""


def discovery_parts(options: ComposeOptions, mirrors: Mapping[str, str]) -> DiscoveryParts:
    """Return what the choice of discovery adds."""
    if options.discovery is Discovery.FILE:
        return _in_a_directory()
    etcd = f"http://{options.host_of(ETCD)}:{etcd_command.CLIENT_PORT}"
    nats = f"nats://{options.host_of(NATS)}:{nats_configuration.CLIENT_PORT}"
    return DiscoveryParts(
        environment={"DYN_DISCOVERY_BACKEND": "etcd", "ETCD_ENDPOINTS": etcd, "NATS_SERVER": nats},
        services={
            ETCD: _etcd(mirrored(ETCD_IMAGE, mirrors), etcd, options),
            NATS: _nats(mirrored(NATS_IMAGE, mirrors)),
        },
        files={_NATS_FILE: _nats_file(options.own_address)},
    )


def _in_a_directory() -> DiscoveryParts:
    # In memory: what a host that lost power knew of processes is gone with them.
    memory = {"type": "tmpfs", "device": "tmpfs", "o": f"uid={_USER},gid={_USER},mode=0770"}
    return DiscoveryParts(
        environment={
            "DYN_DISCOVERY_BACKEND": "file",
            "DYN_FILE_KV": f"{_DIRECTORY}/discovery",
            # There is no NATS, which graphs name from 1.3 on.
            "DYN_EVENT_PLANE": "zmq",
        },
        mounts=(f"{_VOLUME}:{_DIRECTORY}",),
        volumes={_VOLUME: {"driver_opts": memory}},
        is_directory=True,
    )


def _etcd(image: str, address: str, options: ComposeOptions) -> dict[str, Any]:
    command = [
        "etcd",
        f"--data-dir={etcd_command.DATA_PATH}/member-data",
        f"--listen-client-urls=http://{options.own_address}:{etcd_command.CLIENT_PORT}",
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
