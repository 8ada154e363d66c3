"""NATS and etcd servers as plain data, apart from Pulumi: own, bundled or external, each with an address."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from components import etcd_command, nats_configuration

DATA_VOLUME = "data"
"""Name of the volume claim template of both; a claim is called <this>-<server>-<member>."""


@dataclass(frozen=True, slots=True)
class StatefulServersArgs:
    """Where members that a stack runs itself run, and what they keep."""

    name: str
    """The StatefulSet and the Service for clients have it; members are <name>-0, <name>-1, …"""
    namespace: str
    members: Literal[1, 3]
    """Fixed when they are created: each member is started with the list of all."""
    image: str
    storage_class_name: str
    volume_size: str
    keep_volumes: bool
    """Leave the members' claims in the cluster when the StatefulSet goes."""
    node_affinity: Mapping[str, Any]
    """Which nodes may run a member."""
    ready_timeout_seconds: int

    @property
    def headless_name(self) -> str:
        """The Service that gives each member a DNS name."""
        return f"{self.name}-headless"

    @property
    def member_names(self) -> tuple[str, ...]:
        """Names of the pods."""
        return tuple(f"{self.name}-{ordinal}" for ordinal in range(self.members))

    @property
    def claim_names(self) -> tuple[str, ...]:
        """The volume claims, in the names that the StatefulSet gives them."""
        return tuple(f"{DATA_VOLUME}-{member}" for member in self.member_names)

    @property
    def hosts(self) -> dict[str, str]:
        """DNS name of each member, by the member's name."""
        return {
            member: service_host(f"{member}.{self.headless_name}", self.namespace)
            for member in self.member_names
        }


@dataclass(frozen=True, slots=True)
class NatsArgs:
    """NATS servers that a stack runs itself; the inputs of `Nats`."""

    servers: StatefulServersArgs
    max_file_store_bytes: int
    """What streams may take on the volume, with room left for the file system's own needs."""
    kind: Literal["own"] = "own"

    @property
    def address(self) -> str:
        """What clients are given: one nats:// URL."""
        host = service_host(self.servers.name, self.servers.namespace)
        return f"nats://{host}:{nats_configuration.CLIENT_PORT}"


@dataclass(frozen=True, slots=True)
class EtcdArgs:
    """etcd members that a stack runs itself; the inputs of `Etcd`."""

    servers: StatefulServersArgs
    quota_bytes: int
    """Size of the database at which etcd takes no more writes; well below the volume's, because
    defragmentation writes a second copy."""
    rejoining: bool
    """A member that starts with an empty volume joins the existing ones."""
    kind: Literal["own"] = "own"

    @property
    def state_config_map_name(self) -> str:
        """The ConfigMap that tells a starting member whether the cluster exists."""
        return f"{self.servers.name}-state"

    @property
    def address(self) -> str:
        """What clients are given: every member by its own name.

        Through one balancing address a client would stay with a member that has lost the others.
        """
        return ",".join(f"http://{host}:{etcd_command.CLIENT_PORT}" for host in self.servers.hosts.values())


@dataclass(frozen=True, slots=True)
class BundledServers:
    """The one server that the platform's chart brings along."""

    address: str
    storage_class_name: str
    kind: Literal["bundled"] = "bundled"


@dataclass(frozen=True, slots=True)
class ExternalServers:
    """Servers that others run."""

    address: str
    """One nats:// URL, or etcd endpoints separated by commas."""
    kind: Literal["external"] = "external"


NatsServers = NatsArgs | BundledServers | ExternalServers
EtcdServers = EtcdArgs | BundledServers | ExternalServers


def service_host(name: str, namespace: str) -> str:
    """Return the DNS name of a Service."""
    return f"{name}.{namespace}.svc.cluster.local"
