"""NATS and etcd of the stack's own: the settings of their members, and what follows from them."""

from dataclasses import dataclass

from stacks.settings.platform import OwnEtcd, OwnNats

DATA_VOLUME = "data"
"""Name of the volume claim template of both; a claim is called <this>-<server>-<member>."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Members of NATS or etcd."""

    typed: OwnNats | OwnEtcd
    name: str
    """The StatefulSet and the Service for clients have it; members are <name>-0, <name>-1, …"""
    namespace: str
    """Of the platform."""
    image: str
    keep_volumes: bool
    """Leave the members' claims in the cluster when the StatefulSet goes."""
    ready_timeout_seconds: int

    @property
    def headless_name(self) -> str:
        """The Service that gives each member a DNS name."""
        return f"{self.name}-headless"

    @property
    def hosts(self) -> dict[str, str]:
        """DNS name of each member, by the name of its pod."""
        names = (f"{self.name}-{ordinal}" for ordinal in range(self.typed.members))
        return {name: f"{name}.{self.headless_name}.{self.namespace}.svc.cluster.local" for name in names}

    @property
    def claim_names(self) -> tuple[str, ...]:
        """The volume claims, in the names that the StatefulSet gives them."""
        return tuple(f"{DATA_VOLUME}-{member}" for member in self.hosts)
