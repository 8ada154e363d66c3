"""What frontend and workers have in common: variables, mounts, network, and what has to be there before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compose.discovery import Discovery
from compose.model import MODEL
from compose.options import Network

_ON_LOOPBACK: Mapping[str, str] = {
    "DYN_TCP_RPC_HOST": "127.0.0.1",
    "DYN_SYSTEM_HOST": "127.0.0.1",
    # An interface, whatever its name says: of an address 1.2.1 says "Interface not found" (measured).
    "DYN_TCP_RESPONSE_STREAM_HOST": "lo",
}
"""Where requests, health and answers are taken; without it on every address of the host."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Around every process of the Dynamo runtime."""

    network: Network
    discovery: Discovery
    model_mount: str
    start_seconds: int
    """The longest that loading the model takes."""

    def around(self, service: Mapping[str, Any], *volumes: str) -> dict[str, Any]:
        """Return a service with all of it, and with mounts of its own."""
        on_host = dict(_ON_LOOPBACK) if self.network is Network.HOST else {}
        servers = {name: {"condition": "service_healthy"} for name in self.discovery.services}
        return {
            **service,
            "environment": {**service["environment"], **self.discovery.environment, **on_host},
            "volumes": [self.model_mount, *volumes],
            **self.network.fields,
            "depends_on": {MODEL: {"condition": "service_completed_successfully"}, **servers},
            "restart": "unless-stopped",
        }
