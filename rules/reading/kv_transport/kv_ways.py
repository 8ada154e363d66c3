"""By which ways a worker's pods can send or receive KV cache, as the manifest has it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hardware import KvTransportName
from resource_graph import ResourceGraph
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.ucx import TRANSPORTS, read_ucx_transports
from rules.reading.kv_transport.vllm_transfer import KV_TRANSFER_CONFIG, LIBFABRIC, nixl_backends
from rules.reading.nodes.channel_claims import read_channel_claims
from rules.reading.nodes.device_claims import read_device_claims
from rules.reading.nodes.network_devices import (
    EFA_DEVICE_CLASS,
    EFA_RESOURCE,
    efa_interfaces,
    is_rdma,
    rdma_devices,
)
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, text_at

_ANNOTATION = "dynamo-stack/kv-transport"


@dataclass(frozen=True, slots=True)
class Ways:
    """What one worker has for its KV cache."""

    worker: Worker
    open: Mapping[KvTransportName, str]
    """Each with what opens it: `4 vpc.amazonaws.com/efa`. TCP only where a person asks for it."""
    shut: Mapping[KvTransportName, str]
    """Whose device is there, and the setting that keeps the engine from it."""
    unknown: str | None
    """Why there may be a further one."""

    @property
    def described(self) -> str:
        """For messages."""
        shut = "".join(f", {source} leaves {name} out" for name, source in self.shut.items())
        if not self.open:
            return f"{self.worker.name} has no network device and no compute domain's channel{shut}"
        has = " and ".join(f"{name} ({source})" for name, source in self.open.items())
        return f"{self.worker.name} has {has}{shut}"


def read_ways(graph: ResourceGraph, worker: Worker) -> Ways:
    """The ways of one worker.

    Raises:
        Undecided: an amount of a device, or what UCX may use, is unknown.
    """
    unknown: str | None = None
    found: dict[KvTransportName, str] = {}
    try:
        found |= _claimed(graph, worker)
    except Undecided as reason:
        unknown = str(reason)
    found |= dict(_devices(worker))
    ucx = read_ucx_transports(worker)
    shut: dict[KvTransportName, str] = {
        name: f"{TRANSPORTS}={ucx.written}" for name in found if not ucx.allows(name)
    }
    open_ways: dict[KvTransportName, str] = {
        name: source for name, source in found.items() if name not in shut
    }
    if not open_ways:
        typed = f"{TRANSPORTS}={ucx.written}" if ucx.asks_for_tcp else _cpu_buffer(graph, worker)
        typed = typed or _annotated(worker)
        if typed is not None:
            open_ways["tcp"] = typed
    return Ways(worker, open_ways, shut, unknown)


def _devices(worker: Worker) -> Iterator[tuple[KvTransportName, str]]:
    for name, amount in rdma_devices(worker).items():
        yield "rdma", f"{amount} {name}"
    interfaces = efa_interfaces(worker)
    if interfaces:
        yield "efa", f"{interfaces} {EFA_RESOURCE}"


def _claimed(graph: ResourceGraph, worker: Worker) -> dict[KvTransportName, str]:
    ways: dict[KvTransportName, str] = {}
    for claim in read_device_claims(graph, worker.template):
        if not claim.used or claim.device_classes is None:
            continue
        for device_class in sorted(claim.device_classes):
            if device_class == EFA_DEVICE_CLASS or is_rdma(device_class):
                name = "efa" if device_class == EFA_DEVICE_CLASS else "rdma"
                ways[name] = f"claim {claim.name} of {device_class}"
        if claim.is_channel:
            ways["mnnvl"] = f"compute domain's channel {claim.name}"
    # What nothing describes may be a channel.
    read_channel_claims(graph, worker)
    return ways


def _annotated(worker: Worker) -> str | None:
    """How the graph says that a person typed TCP, as a stack of this project writes it."""
    typed = text_at(worker.resource.metadata, "annotations", _ANNOTATION)
    return f"annotation {_ANNOTATION}" if typed == "tcp" else None


def _cpu_buffer(graph: ResourceGraph, worker: Worker) -> str | None:
    """How a vLLM worker without a device is told to send through the host, as NVIDIA's TCP example does."""
    if not is_vllm(worker):
        return None
    config = read_vllm(graph, worker).mapping(KV_TRANSFER_CONFIG) or {}
    device = text_at(config, "kv_buffer_device")
    return "kv_buffer_device cpu" if device == "cpu" and LIBFABRIC in nixl_backends(config) else None
