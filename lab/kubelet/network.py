"""Addresses of pods and names of Services, as this machine has them."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_CLUSTER = "svc.cluster.local"
_HEADLESS = {"", "None"}


class PodAddresses:
    """The loopback addresses of a lab's pods: each belongs to one pod name for as long as the lab lives."""

    def __init__(self, services: str, file: Path) -> None:
        """Take over what the file keeps: processes of an earlier kubelet still listen there.

        Args:
            services: the lab's range of Service addresses; pods have the half of the /16 above it.
            file: the pods that have an address, one a line.

        """
        self._first = int(ipaddress.ip_network(services).network_address) + (1 << 15) + 1
        self._file = file
        known = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._numbers = {name: number for number, name in enumerate(known)}

    def of(self, namespace: str, name: str) -> str:
        """Return the pod's address; a name that has none gets the next one."""
        pod = f"{namespace}/{name}"
        if pod not in self._numbers:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{pod}\n")
            self._numbers[pod] = len(self._numbers)
        return str(ipaddress.ip_address(self._first + self._numbers[pod]))


def cluster_address(address: str) -> str:
    """Return the pod's address as the cluster knows it: an EndpointSlice takes no loopback address."""
    return "10." + address.partition(".")[2]


def loopback_address(cluster: str) -> str:
    """Return the address at which the pod of this cluster address listens here."""
    return "127." + cluster.partition(".")[2]


def service_names(services: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return every dotted name of the Services with its address."""
    names: dict[str, str] = {}
    for service in services:
        address = service["spec"].get("clusterIP", "")
        if address in _HEADLESS:
            continue
        metadata = service["metadata"]
        short = f"{metadata['name']}.{metadata['namespace']}"
        names |= {short: address, f"{short}.svc": address, f"{short}.{_CLUSTER}": address}
    return names


def host_names(services: Iterable[Mapping[str, Any]], namespace: str) -> dict[str, str]:
    """Return the Services of one namespace by their bare names."""
    return {
        each["metadata"]["name"]: each["spec"]["clusterIP"]
        for each in services
        if each["metadata"]["namespace"] == namespace and each["spec"].get("clusterIP", "") not in _HEADLESS
    }


def member_names(
    services: Iterable[Mapping[str, Any]], sets: Iterable[Mapping[str, Any]], addresses: PodAddresses
) -> dict[str, str]:
    """Return the names of the members of StatefulSets behind headless Services, whether they run or not."""
    headless = {
        (each["metadata"]["namespace"], each["metadata"]["name"])
        for each in services
        if each["spec"].get("clusterIP", "") in _HEADLESS
    }
    names: dict[str, str] = {}
    for each in sets:
        metadata, spec = each["metadata"], each["spec"]
        domain = f"{spec.get('serviceName', '')}.{metadata['namespace']}"
        if (metadata["namespace"], spec.get("serviceName")) not in headless:
            continue
        for number in range(spec.get("replicas", 1)):
            member = f"{metadata['name']}-{number}"
            address = addresses.of(metadata["namespace"], member)
            for end in ("", ".svc", f".{_CLUSTER}"):
                names[f"{member}.{domain}{end}"] = address
    return names
