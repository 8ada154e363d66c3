"""What a person chooses beside the stack: how processes find each other, and their network."""

from dataclasses import dataclass
from enum import Enum


class Discovery(Enum):
    """Where workers and frontend find each other."""

    ETCD = "etcd"
    """etcd, with NATS for events: what the publisher's guides for one host run."""
    FILE = "file"
    """A directory that all of them see, events over ZeroMQ; neither etcd nor NATS is needed."""


class Network(Enum):
    """The network of the containers."""

    BRIDGE = "bridge"
    """The project's own. With the host's, TensorRT-LLM workers can hang before they are ready
    (ai-dynamo/dynamo known-issues.md at 2a6da14)."""
    HOST = "host"
    """The host's, as in the publisher's guides; all but the frontend listen on the loopback address."""


@dataclass(frozen=True, slots=True)
class ComposeOptions:
    """The choices of one run."""

    discovery: Discovery = Discovery.ETCD
    network: Network = Network.BRIDGE

    def host_of(self, service: str) -> str:
        """Return the name by which the other containers reach a service."""
        return service if self.network is Network.BRIDGE else "127.0.0.1"

    @property
    def own_address(self) -> str:
        """What a service listens on that the other containers reach."""
        return "0.0.0.0" if self.network is Network.BRIDGE else "127.0.0.1"  # noqa: S104 - the project's network
