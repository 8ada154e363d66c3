"""NATS and etcd of a platform as plain data: what is typed of them, and what follows from it."""

from dataclasses import dataclass

from stacks.plan.platform import etcd_command, nats_configuration
from stacks.settings.platform import (
    BundledEtcd,
    BundledNats,
    Etcd,
    ExternalEtcd,
    ExternalNats,
    Nats,
    OwnEtcd,
    OwnNats,
)

RELEASE_NAME = "dynamo-platform"
"""The platform's Helm release has it."""
DATA_VOLUME = "data"
"""Name of the volume claim template of both; a claim is called <this>-<server>-<member>."""


@dataclass(frozen=True, slots=True)
class Servers:
    """NATS or etcd, with its address; own members have names too, and an image."""

    typed: Nats | Etcd
    name: str
    """The StatefulSet and the Service for clients have it; members are <name>-0, <name>-1, …"""
    namespace: str
    """Of the platform."""
    image: str
    keep_volumes: bool
    """Leave the members' claims in the cluster when the StatefulSet goes."""
    ready_timeout_seconds: int

    @property
    def members(self) -> int:
        """How many servers of the stack's own there are; 1 of bundled and external ones."""
        return self.typed.members if isinstance(self.typed, OwnNats | OwnEtcd) else 1

    @property
    def headless_name(self) -> str:
        """The Service that gives each member a DNS name."""
        return f"{self.name}-headless"

    @property
    def hosts(self) -> dict[str, str]:
        """DNS name of each member, by the name of its pod."""
        names = (f"{self.name}-{ordinal}" for ordinal in range(self.members))
        return {name: self._host(f"{name}.{self.headless_name}") for name in names}

    @property
    def claim_names(self) -> tuple[str, ...]:
        """The volume claims, in the names that the StatefulSet gives them."""
        return tuple(f"{DATA_VOLUME}-{member}" for member in self.hosts)

    @property
    def address(self) -> str:
        """What clients are given: one nats:// URL, or etcd endpoints separated by commas."""
        match self.typed:
            case ExternalNats(address=address):
                return address
            case ExternalEtcd(addresses=addresses):
                return ",".join(addresses)
            case BundledNats():
                return f"nats://{self._host(f'{RELEASE_NAME}-nats')}:{nats_configuration.CLIENT_PORT}"
            case BundledEtcd():
                # The chart's operator writes the address like this: without a scheme.
                return f"{self._host(f'{RELEASE_NAME}-etcd')}:{etcd_command.CLIENT_PORT}"
            case OwnNats():
                return f"nats://{self._host(self.name)}:{nats_configuration.CLIENT_PORT}"
            case OwnEtcd():
                # Through one balancing address a client would stay with a member that has lost the others.
                return ",".join(f"http://{host}:{etcd_command.CLIENT_PORT}" for host in self.hosts.values())

    def _host(self, service: str) -> str:
        return f"{service}.{self.namespace}.svc.cluster.local"
