"""What every operation of one configured provider works with."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from lab.kubernetes_provider.cluster import Cluster
from lab.kubernetes_provider.errors import ProviderError, StatusError, UnreachableError
from lab.kubernetes_provider.kubeconfig import KubeconfigError, Target, load, require_loopback, target

if TYPE_CHECKING:
    from pathlib import Path

    from lab.kubernetes_provider.settings import Settings
    from lab.provider_service.host import Host


@dataclass
class Session:
    """A provider after Configure: its cluster, or the reason why there is none."""

    settings: Settings
    host: Host
    private_folder: Path
    chosen: Target | None = None
    connected: Cluster | None = None
    unreachable_reason: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def open(cls, settings: Settings, host: Host, private_folder: Path) -> Session:
        """Connects; an unreadable kubeconfig or a silent server is remembered, not raised.

        Raises NotLoopbackError: the seal is the one thing that stops an operation before it starts.
        """
        session = cls(settings, host, private_folder)
        try:
            session.chosen = target(load(settings.kubeconfig), settings.context)
        except KubeconfigError as error:
            session.unreachable_reason = str(error)
            return session
        require_loopback(session.chosen)
        # For helm, which several releases may start at once.
        session.kubeconfig_file.write_text(yaml.safe_dump(session.chosen.config))
        try:
            cluster = Cluster(session.chosen, private_folder)
            cluster.request("GET", "/version")
            session.connected = cluster
        except (UnreachableError, StatusError) as error:
            session.unreachable_reason = f"unable to load schema information from the API server: {error}"
        # The client raises errors of many types for an unusable kubeconfig.
        except Exception as error:
            session.unreachable_reason = (
                f"unable to load Kubernetes client configuration from kubeconfig file: {error}"
            )
        return session

    def has(self, flag: str) -> bool:
        """Whether that input of the provider is true."""
        return flag in self.settings.flags

    @property
    def kubeconfig_file(self) -> Path:
        """The flattened kubeconfig, for programs that this process starts."""
        return self.private_folder / "kubeconfig"

    @property
    def cluster(self) -> Cluster:
        """The cluster. Raises ProviderError with the reason when it cannot be reached."""
        if self.connected is None:
            raise ProviderError(f"configured Kubernetes cluster is unreachable: {self.unreachable_reason}")
        return self.connected

    @property
    def default_namespace(self) -> str:
        """For objects that name none: the provider's, the kubeconfig context's, "default"."""
        from_context = self.chosen.namespace if self.chosen else None
        return self.settings.namespace or from_context or "default"
