"""From the sockets of the pods' processes to connections between pods.

All pods share this machine's loopback interface. A client's own address may be 127.0.0.1, so the process says
which pod it belongs to; a server is found by the process that listens, by the pod's address, or behind the
address of a Service, at which the lab's proxy answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from lab.kubelet.kubelet import RUNS_HERE
from lab.kubelet.network import loopback_address
from tests.support.network_policies import NAMESPACE_NAME, Labelled

Address = tuple[str, int]
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - what a server may listen at
_SERVICE = "kubernetes.io/service-name"
_MAPPED = "::ffff:"


@dataclass(frozen=True)
class Socket:
    """A TCP socket of a pod's process at one moment."""

    pod: str
    """The pod's uid."""
    local: Address
    remote: Address | None
    """None: it listens."""


@dataclass(frozen=True)
class Dial:
    """A connection that a pod's process opened."""

    source: str
    """The pod's uid."""
    to: Address
    listener: str | None
    """The uid of the pod whose process listens there; None where none does."""


@dataclass(frozen=True)
class Pod:
    """A pod of the cluster."""

    uid: str
    kind: str
    """What it is, in one word for people: decode, dynamo-nats."""
    labels: Labelled = field(compare=False)


@dataclass(frozen=True)
class Connection:
    """A connection between two pods, as if the network were the cluster's."""

    source: Pod
    target: Pod
    port: int


def dials(sockets: Iterable[Socket]) -> set[Dial]:
    """Return the connections among the sockets of one moment, each from the side that opened it."""
    all_of_them = list(sockets)
    listening = {each.local: each.pod for each in all_of_them if each.remote is None}
    found: set[Dial] = set()
    for each in all_of_them:
        if each.remote is None or _listener(listening, each.local) == each.pod:
            continue
        found.add(Dial(each.pod, each.remote, _listener(listening, each.remote)))
    return found


class SampledSockets:
    """Collects what the pods' processes dial, one look at a time.

    Args:
        pods: the kubelet's folder of pods, in which every process of a pod works.

    """

    def __init__(self, pods: Path) -> None:
        self.dials: set[Dial] = set()
        """Everything until now."""
        self._pods = pods

    def look(self) -> None:
        """Add what is open now."""
        self.dials |= dials(self._sockets())

    def _sockets(self) -> Iterator[Socket]:
        owners: dict[int, str | None] = {}
        # Of all processes at once: for each of them the kernel's whole table would be read again.
        for each in psutil.net_connections("tcp"):
            if each.pid is None:
                continue
            if each.pid not in owners:
                owners[each.pid] = self._pod_of(each.pid)
            uid = owners[each.pid]
            if uid is not None and (each.raddr or each.status == psutil.CONN_LISTEN):
                yield Socket(uid, _address(each.laddr), _address(each.raddr) if each.raddr else None)

    def _pod_of(self, pid: int) -> str | None:
        """The uid of the pod whose process it is; None for other processes and for one that has ended."""
        try:
            folder = psutil.Process(pid).cwd()
        except psutil.Error:
            return None
        within = folder.removeprefix(f"{self._pods}/")
        return None if within == folder else within.partition("/")[0]


@dataclass
class ClusterNetwork:
    """Pods and Services, those of every look together: what has gone in the meantime was dialled too."""

    _pods: dict[str, Pod] = field(default_factory=dict)
    _by_address: dict[str, str] = field(default_factory=dict)
    _by_service: dict[Address, set[tuple[str, int]]] = field(default_factory=dict)

    def look(
        self,
        *,
        slices: Sequence[Mapping[str, Any]],
        services: Sequence[Mapping[str, Any]],
        namespaces: Sequence[Mapping[str, Any]],
        pods: Sequence[Mapping[str, Any]],
    ) -> None:
        """Take note of what the API server lists; the pods last, so that none is missing among them."""
        labels = {each["metadata"]["name"]: each["metadata"]["labels"] for each in namespaces}
        for pod in pods:
            metadata = pod["metadata"]
            uid, own = metadata["uid"], metadata.get("labels", {})
            self._pods[uid] = Pod(uid, _kind(pod), Labelled(labels[metadata["namespace"]], own))
            address = pod["status"].get("podIP")
            # kwok gives its pods addresses too, at which nobody listens.
            if address and RUNS_HERE in metadata.get("annotations", {}):
                self._by_address[loopback_address(address)] = uid
        for service in services:
            for port in service["spec"].get("ports", ()):
                address = (service["spec"].get("clusterIP", ""), port["port"])
                behind = _endpoints(service, port.get("name", ""), slices)
                self._by_service.setdefault(address, set()).update(behind)

    def connections(self, dial: Dial) -> list[Connection] | None:
        """Return what the dial is in the cluster: one for each pod behind a Service, none to the pod itself.

        None: it leads to no pod.
        """
        targets = self._targets(dial)
        if targets is None:
            return None
        source = self._pods[dial.source]
        return [Connection(source, self._pods[uid], port) for uid, port in targets if uid != dial.source]

    def pod(self, uid: str) -> Pod:
        """Return the pod of this uid."""
        return self._pods[uid]

    def _targets(self, dial: Dial) -> set[tuple[str, int]] | None:
        host, port = dial.to
        uid = dial.listener or self._by_address.get(host)
        return {(uid, port)} if uid else self._by_service.get(dial.to)


def in_words(connection: Connection) -> str:
    """Return one line for people, the same for all pods of a kind."""
    return f"{_place(connection.source)} -> {_place(connection.target)}:{connection.port}"


def _address(address: Any) -> tuple[str, int]:
    return address.ip.removeprefix(_MAPPED), address.port


def _listener(listening: Mapping[Address, str], address: Address) -> str | None:
    host, port = address
    return next((listening[each, port] for each in (host, *_ANYWHERE) if (each, port) in listening), None)


def _endpoints(
    service: Mapping[str, Any], port: str, slices: Sequence[Mapping[str, Any]]
) -> set[tuple[str, int]]:
    metadata = service["metadata"]
    return {
        (endpoint["targetRef"]["uid"], each["port"])
        for found in slices
        if found["metadata"]["namespace"] == metadata["namespace"]
        and found["metadata"].get("labels", {}).get(_SERVICE) == metadata["name"]
        for each in found.get("ports") or ()
        if (each.get("name") or "") == port
        for endpoint in found.get("endpoints") or ()
        if "targetRef" in endpoint
    }


def _kind(pod: Mapping[str, Any]) -> str:
    labels = pod["metadata"].get("labels", {})
    kinds = ("nvidia.com/dynamo-component-type", "app.kubernetes.io/name")
    return next((labels[each] for each in kinds if each in labels), pod["metadata"]["name"])


def _place(pod: Pod) -> str:
    return f"{pod.labels.namespace[NAMESPACE_NAME]}/{pod.kind}"
