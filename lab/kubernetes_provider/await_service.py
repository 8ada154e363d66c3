"""Service: its endpoints have come to rest, and a load balancer has its address."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.waiting import READY, Readiness, Wait, not_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Cluster

_SETTLE_SECONDS = 10.0

NO_PODS = (
    "Service does not target any Pods. Selected Pods may not be ready, or "
    "field '.spec.selector' may not match labels on any Pods"
)
NO_ADDRESS = "Service was not allocated an IP address; does your cloud provider support this?"


def wait(cluster: Cluster) -> Wait:
    """The wait of a create or update."""
    return Wait(check=Endpoints(cluster))


class Endpoints:
    """Watches one Service's endpoints; ready ten seconds after their last change, none at all included."""

    def __init__(
        self,
        cluster: Cluster,
        settle_seconds: float = _SETTLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = cluster
        self._settle_seconds = settle_seconds
        self._clock = clock
        self._seen: str | None = None
        self._since = clock()

    def __call__(self, live: dict[str, Any]) -> Readiness:
        """One look at the Service and its endpoints."""
        spec = live["spec"]
        if spec.get("type") == "LoadBalancer" and not _ingress(live):
            return not_ready(NO_ADDRESS)
        if not spec.get("selector") or spec.get("clusterIP") == "None" or spec.get("type") == "ExternalName":
            return READY
        metadata = live["metadata"]
        endpoints = self._cluster.find("v1", "Endpoints", metadata["namespace"], metadata["name"])
        version = endpoints["metadata"]["resourceVersion"] if endpoints else ""
        if version != self._seen:
            self._seen, self._since = version, self._clock()
        if _has_unready_addresses(endpoints):
            return not_ready(NO_PODS)
        if self._clock() - self._since < self._settle_seconds:
            return not_ready("Waiting for the Service's endpoints to settle")
        return READY


def _ingress(live: dict[str, Any]) -> list[Any]:
    return ((live.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []


def _has_unready_addresses(endpoints: dict[str, Any] | None) -> bool:
    return any(subset.get("notReadyAddresses") for subset in (endpoints or {}).get("subsets") or [])
