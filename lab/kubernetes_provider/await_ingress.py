"""Ingress: every path leads to endpoints and the controller has published an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider.waiting import READY, Readiness, Wait, not_ready

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster

NO_ADDRESS = (
    "Ingress .status.loadBalancer field was not updated with a hostname/IP address. "
    "for more information about this error, see https://pulumi.io/xdv72s"
)


def wait(cluster: Cluster) -> Wait:
    """The wait of a create or update."""
    return Wait(check=lambda live: check(cluster, live))


def check(cluster: Cluster, live: dict[str, Any]) -> Readiness:
    """One look at the Ingress and the endpoints behind its paths."""
    namespace = live["metadata"]["namespace"]
    missing = [path for path, service in _paths(live) if not _has_endpoints(cluster, namespace, service)]
    reasons = [f"No matching service found for ingress rule: {path}" for path in missing]
    if not ((live.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
        reasons.append(NO_ADDRESS)
    return not_ready(*reasons) if reasons else READY


def _paths(live: dict[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for rule in live["spec"].get("rules") or []:
        for path in (rule.get("http") or {}).get("paths") or []:
            service = (path.get("backend") or {}).get("service")
            if service:
                found.append((f"{rule.get('host', '*')}{path.get('path', '')}", service["name"]))
    return found


def _has_endpoints(cluster: Cluster, namespace: str, service: str) -> bool:
    target = cluster.find("v1", "Service", namespace, service)
    if target is not None and target["spec"].get("type") == "ExternalName":
        return True
    endpoints = cluster.find("v1", "Endpoints", namespace, service)
    return any(subset.get("addresses") for subset in (endpoints or {}).get("subsets") or [])
