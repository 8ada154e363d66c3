"""Transports by which a worker's pods can send or receive KV cache: devices, UCX and vLLM's connector."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from string import digits

from engines.effective import Effective, flag_of
from engines.release import kv_connectors
from hardware import KvTransportName
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, hint, slip_of
from rules.reading.commands.container_commands import DYNAMO_VLLM
from rules.reading.devices import (
    EFA_DEVICE_CLASS,
    EFA_RESOURCE,
    efa_interfaces,
    is_rdma,
    rdma_devices,
    read_channel_claims,
    read_device_claims,
)
from rules.reading.engines.settings import is_vllm, read_settings
from rules.reading.objects.mistakes import PLACEHOLDER
from rules.reading.pods.workers import Worker
from rules.reading.releases import by_line
from rules.reading.shapes import Undecided, attempted, mapping_at, mappings_at, text_at, texts_at

UCX_TRANSPORTS = "UCX_TLS"
NVLINK_BETWEEN_NODES = "UCX_CUDA_IPC_ENABLE_MNNVL"
"""Variable that says whether UCX uses NVLink between nodes: y, n or try, its default."""
UCX_OFF = frozenset({"n", "no", "0", "off", "false"})
UCX_ON = frozenset({"y", "yes", "1", "on", "true"})
_EVERYTHING = "all"
# The names, aliases included, by which a list admits what carries memory from one pod to another.
_ADMITTED_BY: Mapping[KvTransportName, frozenset[str]] = {
    "rdma": frozenset(
        {"rc", "rc_x", "rc_v", "rc_mlx5", "rc_verbs", "ud", "ud_x", "ud_v", "dc", "dc_x", "dc_mlx5", "ib"}
    ),
    "mnnvl": frozenset({"cuda_ipc", "cuda"}),
    "tcp": frozenset({"tcp"}),
}
# Groups of names that shut it out where the list says what not to use.
_SHUT_OUT_BY: Mapping[KvTransportName, tuple[frozenset[str], ...]] = {
    "rdma": (frozenset({"ib"}), frozenset({"rc", "ud", "dc"})),
    "mnnvl": (frozenset({"cuda_ipc"}), frozenset({"cuda"})),
    "tcp": (frozenset({"tcp"}),),
}
KV_TRANSFER = "kv_transfer_config"
KV_TRANSFER_CONFIG = flag_of(KV_TRANSFER)
NIXL_CONNECTOR = "NixlConnector"
_WITHOUT_A_DEFAULT = (1, 0)
"""First Dynamo release whose dynamo.vllm does not take `--connector nixl` by itself; older ones have no
--disaggregation-mode."""
LIBFABRIC = "LIBFABRIC"
"""NIXL's plugin for EFA; without a choice NIXL takes UCX."""
_ROLES = frozenset({"kv_both", "kv_consumer", "kv_producer"})
_HOLD_OTHERS = frozenset({"MultiConnector", "PdConnector"})
"""Connectors that keep others in their extra configuration; Dynamo's PdConnector is one of KVBM and NIXL
(ai-dynamo/dynamo lib/bindings/kvbm python/kvbm/vllm_integration/connector/pd_connector.py)."""
_ANNOTATION = "dynamo-stack/kv-transport"
_CUDA = frozenset({"cuda", "cuda_copy"})


@dataclass(frozen=True, slots=True)
class UcxTransports:
    """The list of transports that a worker gives to UCX."""

    written: str | None
    """The value of UCX_TLS; None where UCX chooses by itself."""

    @property
    def names(self) -> Set[str]:
        """The transports that it lists."""
        names = (self.written or "").removeprefix("^").split(",")
        return {name.strip() for name in names if name.strip()}

    def allows(self, transport: KvTransportName) -> bool:
        """Whether UCX may use the transport; UCX_TLS does not bind EFA, which is libfabric's."""
        if self.written is None or transport not in _ADMITTED_BY:
            return True
        if self.written.startswith("^"):
            return not any(group <= self.names for group in _SHUT_OUT_BY[transport])
        return bool(self.names & {*_ADMITTED_BY[transport], _EVERYTHING})

    @property
    def moves_gpu_memory(self) -> bool:
        """Whether UCX can read and write memory of a GPU (openucx/ucx#4373, ai-dynamo/nixl#1617)."""
        if self.written is None or self.written.startswith("^"):
            return not self.names & _CUDA
        return bool(self.names & {*_CUDA, _EVERYTHING})

    @property
    def asks_for_tcp(self) -> bool:
        """Whether a person listed TCP and no transport that is faster between pods."""
        listed = self.written is not None and not self.written.startswith("^")
        return listed and "tcp" in self.names and not self.allows("rdma") and not self.allows("mnnvl")


def connector_problems(settings: Effective, line: tuple[int, int] | None) -> Iterator[str]:
    """What vLLM of a release line refuses in the configuration; of one that was not read, what all refuse.

    A plugin may register a connector of its own, so that a name is wrong only where it is a slip, or that of
    another release.
    """
    config = settings.mapping(KV_TRANSFER)
    if config is None:
        return
    role = text_at(config, "kv_role")
    if role is not None and role not in _ROLES and not PLACEHOLDER.search(role):
        yield f"kv_role in {KV_TRANSFER_CONFIG} is {role!r}, none of {', '.join(sorted(_ROLES))}"
    name = text_at(config, "kv_connector")
    if name is None or text_at(config, "kv_connector_module_path"):
        return
    known = kv_connectors(DYNAMO_VLLM)
    if line is None:
        meant = slip_of(name, known.of_every_line)
        # A connector of another release may end in another number.
        if meant is not None and meant.rstrip(digits) != name.rstrip(digits):
            yield f"kv_connector in {KV_TRANSFER_CONFIG} is {name}, which no vLLM has; the nearest is {meant}"
        return
    wrong = name in known.of_any_line or slip_of(name, known.of_any_line, SLIPS) is not None
    if wrong and name not in known.by_line[line]:
        near = hint(name, known.by_line[line])
        yield f"kv_connector in {KV_TRANSFER_CONFIG} is {name}, which its release of vLLM does not have{near}"


def connects_by_itself(worker: Worker) -> bool:
    """Whether the worker's dynamo.vllm takes NIXL's connector where none is named."""
    return by_line(lambda line: line < _WITHOUT_A_DEFAULT, worker.container, worker.template)


def moving_config(graph: ResourceGraph, worker: Worker) -> Mapping[str, Value] | None:
    """What vLLM is told of the connector that moves the cache; of NIXL's where another one holds that."""
    config = read_settings(graph, worker).mapping(KV_TRANSFER)
    if config is None or text_at(config, "kv_connector") not in _HOLD_OTHERS:
        return config
    held = mappings_at(config, "kv_connector_extra_config", "connectors")
    return next((each for each in held if text_at(each, "kv_connector") == NIXL_CONNECTOR), config)


def nixl_backends(config: Mapping[str, Value]) -> Sequence[str]:
    """Names of the plugins that NIXL is told to use, in upper case; empty where NIXL chooses."""
    extra = mapping_at(config, "kv_connector_extra_config")
    return [name.upper() for name in texts_at(extra, "backends") if name is not None]


def buffers_on_host(graph: ResourceGraph, worker: Worker) -> bool:
    """Whether vLLM copies the cache to the host's memory before it sends the cache."""
    config = moving_config(graph, worker) if is_vllm(worker) else None
    return text_at(config or {}, "kv_buffer_device") == "cpu"


@dataclass(frozen=True, slots=True)
class Ways:
    """Transports that one worker has for its KV cache."""

    worker: Worker
    open: Mapping[KvTransportName, str]
    """Transport -> what opens it, such as `4 vpc.amazonaws.com/efa`; TCP only where a person asks for TCP."""
    shut: Mapping[KvTransportName, str]
    """Transport whose device is there -> the setting that keeps the engine from the device."""
    unknown: str | None
    """Why the worker may have a further transport; None where all of them are known."""

    @property
    def described(self) -> str:
        """The worker's open and shut transports, for messages."""
        shut = "".join(f", {source} leaves {name} out" for name, source in self.shut.items())
        if not self.open:
            return f"{self.worker.name} has no network device and no compute domain's channel{shut}"
        has = " and ".join(f"{name} ({source})" for name, source in self.open.items())
        return f"{self.worker.name} has {has}{shut}"


def read_ways(graph: ResourceGraph, worker: Worker) -> Ways:
    """The transports that one worker has for its KV cache."""
    claimed = attempted(_claimed, graph, worker)
    is_known = not isinstance(claimed, Undecided)
    found: dict[KvTransportName, str] = {**(claimed if is_known else {}), **dict(_devices(worker))}
    ucx = UcxTransports(worker.variable(UCX_TRANSPORTS) or None)
    listed = f"{UCX_TRANSPORTS}={ucx.written}"
    shut: dict[KvTransportName, str] = {name: listed for name in found if not ucx.allows(name)}
    open_ways: dict[KvTransportName, str] = {name: found[name] for name in found if name not in shut}
    if not open_ways:
        explicit = listed if ucx.asks_for_tcp else _cpu_buffer(graph, worker)
        # As a stack of this project writes that a person chose TCP.
        if not explicit and text_at(worker.resource.metadata, "annotations", _ANNOTATION) == "tcp":
            explicit = f"annotation {_ANNOTATION}"
        if explicit is not None:
            open_ways["tcp"] = explicit
    return Ways(worker, open_ways, shut, None if is_known else str(claimed))


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
    # A claim that nothing describes may be a channel.
    read_channel_claims(graph, worker)
    return ways


def _cpu_buffer(graph: ResourceGraph, worker: Worker) -> str | None:
    """How a vLLM worker without a device is told to send through the host, as NVIDIA's TCP example does."""
    if not buffers_on_host(graph, worker):
        return None
    backends = nixl_backends(moving_config(graph, worker) or {})
    return "kv_buffer_device cpu" if LIBFABRIC in backends else None
