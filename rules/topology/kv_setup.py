"""Devices, privileges and settings by which workers send and take KV cache."""

from collections.abc import Iterator
from itertools import product

from resource_graph import ResourceGraph
from rules.reading.devices import EFA_RESOURCE, efa_interfaces
from rules.reading.disaggregation import Disaggregated, KvHop, chosen_transport
from rules.reading.engines.models import NIXL_PLUGIN, TRANSCEIVER_SETTING, effective_backend
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_ways import (
    KV_TRANSFER,
    LIBFABRIC,
    NIXL_CONNECTOR,
    NVLINK_BETWEEN_NODES,
    UCX_OFF,
    UCX_ON,
    UCX_TRANSPORTS,
    UcxTransports,
    Ways,
    buffers_on_host,
    connects_by_itself,
    moving_config,
    nixl_backends,
)
from rules.reading.placements import nodes_without_fabric, read_placement
from rules.reading.pods.containers import added_capabilities, is_privileged, user_of
from rules.reading.pods.workers import Worker
from rules.reading.releases import runtime_image
from rules.reading.shapes import field, mappings_at, text_at
from rules.rule import (
    DISAGGREGATED,
    KV_HOPS,
    WORKERS,
    Advice,
    Observation,
    Said,
    Severity,
    about,
    graph_rule,
    names,
    rule,
)

_DEVICES = "/dev/infiniband"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "A pod that takes a part of a GB200 node's EFA interfaces fails, and the node's own device directory "
        "hides what the device plugin hands out (fi_info ends with -61). A node's bandwidth is divided over "
        "its interfaces: a pod with fewer than its GPUs' share is slower (advice)."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html; ai-dynamo/dynamo "
        "release notes of 1.3 and 1.4 (GB200), examples/deployments/EKS/manifests/vllm/v1beta1 at 4a28569 "
        "(four per GPU on p5); aws-samples/aws-do-eks#63; "
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
    ),
    lines=("Dynamo 1.2 to 1.4",),
    fix=(
        "Ask for the node's interfaces divided by its GPUs, times the pod's GPUs; on GB200 for all four; and "
        "mount no /dev/infiniband."
    ),
)
def kv_transport_devices(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Network devices are not those that a node gives a pod."""
    asked = efa_interfaces(worker)
    if not asked:
        return
    for volume in mappings_at(worker.template.spec, "volumes"):
        if (text_at(volume, "hostPath", "path") or "").rstrip("/").startswith(_DEVICES):
            yield (
                f"mounts the node's {_DEVICES} (volume {text_at(volume, 'name') or 'unnamed'}) over the "
                f"{asked} {EFA_RESOURCE} that the device plugin gives it, which leaves libfabric without a "
                "device"
            )
    placement = read_placement(graph, worker)
    node = placement.instance_type
    if node.pod_takes_every_efa_interface:
        if asked < node.efa_interfaces:
            yield (
                f"asks for {asked} of the {node.efa_interfaces} {EFA_RESOURCE} of a node of pool "
                f"{placement.name} ({node.name}), on which a pod that uses EFA must have all of them"
            )
    elif 1 <= worker.gpus_per_pod <= node.gpus:
        share = node.efa_interfaces_per_pod(worker.gpus_per_pod)
        each = node.network.efa_gbit_per_second / node.efa_interfaces if share else 0
        if asked < share:
            yield Advice(
                f"asks for {asked} {EFA_RESOURCE} beside {worker.gpus_per_pod} GPUs, whose share of a "
                f"{node.name} is {share}: its pods have {asked * each:,.0f} of {share * each:,.0f} Gbit/s"
            )


@rule(
    KV_HOPS,
    severity=Severity.ADVISORY,
    reason=(
        "The network card reads and writes memory that the engine registers with it, for which the kernel "
        "wants IPC_LOCK, unless the node's runtime sets no limit (ulimit -l). Guides disagree on how much "
        "more a worker needs. With too little the engines fall back to TCP in silence."
    ),
    source=(
        "ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd (IPC_LOCK, SYS_RESOURCE), docs "
        "cloud-providers/eks/efa.md at 0c21bf2 (privileged), examples/deployments/EKS at 4a28569 "
        "(IPC_LOCK), recipes/inkling/vllm/disagg-gb300-agentic at 472ac24"
    ),
    lines=("Dynamo 1.2 to 1.5",),
    fix=(
        "Add IPC_LOCK to securityContext.capabilities.add of the worker's main container, and what the "
        "message names only if the transport's own counters stand still under load."
    ),
)
def kv_transport_privileges(_: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    """Worker lacks privileges for its KV transport."""
    for ways in hop.ways:
        yield from about(ways.worker, _lacking(ways, hop))


def _lacking(ways: Ways, hop: KvHop) -> Iterator[str]:
    """What the publisher's guide or recipe of the transport gives a worker, and this one has not."""
    pod, container = ways.worker.template.spec, ways.worker.container
    added, may_all = added_capabilities(container), is_privileged(container)
    user, has_host_ipc = user_of(pod, container), field(pod, "hostIPC") is True
    if may_all:
        return
    network = hop.common & {"efa", "rdma"}
    # TensorRT-LLM needs nothing beyond the claim, which brings the channel's device.
    nvlink = hop.common & {"mnnvl"} if is_vllm(ways.worker) else frozenset[str]()
    missing = {"the capability IPC_LOCK": bool(network | nvlink) and added.isdisjoint({"IPC_LOCK", "ALL"})}
    if "rdma" in network or nvlink:
        missing["the capability SYS_RESOURCE"] = added.isdisjoint({"SYS_RESOURCE", "ALL"})
        # For other users added capabilities do not act.
        missing["runAsUser 0"] = user != 0
    missing["hostIPC"] = bool(nvlink) and not has_host_ipc
    lacks = [what for what, is_missing in missing.items() if is_missing]
    if lacks:
        taken = " and ".join(f"{name} ({how})" for name, how in ways.open.items() if name in network | nvlink)
        yield f"moves its KV cache by {taken} without {', '.join(lacks)}, which guides of the publisher add"


_LIBFABRIC_VARIABLES = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1"}
_FABRIC_MEMORY_FLAGS = ("--enable-cumem-allocator", "--enable-sleep-mode")
_ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"
_HANDSHAKE_HOST = "VLLM_NIXL_SIDE_CHANNEL_HOST"
"""Variable of the address that a worker tells others; dynamo.vllm sets the pod's own where nobody does."""
_OF_THE_POD_ALONE = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1"})  # noqa: S104 - it binds nothing


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "NVLink that is switched off sends the cache of a compute domain's workers over TCP. Forced between "
        "workers that share no domain, the import fails (cuMemImportFromShareableHandle), and answers come "
        "back empty. UCX moves no GPU's memory by a list of transports without CUDA's. A worker that calls "
        "its address localhost is looked for in the pod that asks. A device that the libraries are not told "
        "to use stays idle, and CUDA opens another process's memory only on a GPU that it sees: the cache "
        "takes TCP, and every pod is Ready. Documents disagree on some of these settings (advice)."
    ),
    source=(
        "ai-dynamo/dynamo#10202 (GB200, RoCE); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py, NVIDIA/TensorRT-LLM#10024; openucx/ucx "
        "v1.20 (default: try), openucx/ucx#4373, ai-dynamo/nixl#1617; ai-dynamo/dynamo docs "
        "cloud-providers/eks/efa.md at 0c21bf2, "
        "trtllm-kv-cache-transfer.md at 2f34551, recipes/inkling/vllm/disagg-gb300-agentic at 472ac24, "
        "recipes/gpt-oss-120b/vllm/disagg-b200-agentic at e17cb02; vllm-project/vllm#51377, "
        "vllm-project/vllm#52607"
    ),
    lines=("Dynamo 1.2 to 1.5", "TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1", "UCX 1.20"),
    fix=(
        "Set what the message names, then look for the transport in the workers' logs and counters. "
        "UCX_CUDA_IPC_ENABLE_MNNVL: y where prefill and decode share a compute domain, n on GB200 where they "
        "do not. CUDA_VISIBLE_DEVICES: the neighbour's GPUs after the worker's own."
    ),
)
def kv_transport_settings(graph: ResourceGraph) -> Iterator[Observation]:
    """Settings keep the KV cache from its transport."""
    yield from KV_HOPS.judge(graph, _of_hop)
    yield from DISAGGREGATED.judge(graph, _of_neighbours)


def _of_hop(graph: ResourceGraph, hop: KvHop) -> Iterator[Observation]:
    for worker in hop.group.workers:
        yield from about(worker, _unfit_switch(graph, hop, worker))
        yield from about(worker, map(Advice, _unset(graph, hop, worker)))


def _of_neighbours(graph: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    """What workers of one container do not see of each other's GPUs."""
    if chosen_transport(graph, group.resource).get("name") == "tcp":
        return
    pairs = (*product(group.prefill, group.decode), *product(group.decode, group.prefill))
    for worker, neighbour in (each for each in pairs if each[0].container is each[1].container):
        own = neighbour.shown_gpus[: neighbour.gpus_per_pod]
        hidden = [gpu for gpu in own if gpu not in worker.shown_gpus]
        if hidden and worker.shown_gpus:
            seen = f"{worker.name} does not see GPUs {','.join(hidden)}"
            yield Advice(f"{seen} of {neighbour.name} in its container")


def _unset(graph: ResourceGraph, hop: KvHop, worker: Worker) -> Iterator[str]:
    lacks = tuple(_lacking_of_efa(graph, worker)) if "efa" in hop.common else ()
    if lacks:
        yield (
            f"uses EFA without {', '.join(lacks)}, which the publisher's EFA guide has: NIXL may then "
            "take UCX, at the speed of TCP"
        )
    if "efa" in hop.common and is_tensorrt_llm(worker) and worker.variable("NIXL_BACKEND") is not None:
        yield f"sets NIXL_BACKEND beside {NIXL_PLUGIN}, which crashed workers (NVIDIA/TensorRT-LLM#10024)"
    if "mnnvl" in hop.common and is_vllm(worker):
        yield from _nvlink_of_vllm(graph, worker)
    if "mnnvl" not in hop.common and hop.common & {"rdma", "efa"}:
        yield from _off_nvlink(graph, worker)


def _lacking_of_efa(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    image = runtime_image(worker)
    if image is not None and "-efa" not in image[1]:
        yield "an image whose tag has -efa, which brings the plugins"
    for name, value in _LIBFABRIC_VARIABLES.items():
        if worker.variable(name) != value:
            yield f"{name}={value}"
    if is_tensorrt_llm(worker):
        backend = effective_backend(graph, worker)
        if backend not in {None, "NIXL"}:
            yield f"{TRANSCEIVER_SETTING} NIXL (it is {backend})"
        elif backend == "NIXL" and worker.variable(NIXL_PLUGIN) != LIBFABRIC:
            yield f"{NIXL_PLUGIN}={LIBFABRIC}"
    elif is_vllm(worker):
        config = read_settings(graph, worker).mapping(KV_TRANSFER) or {}
        if config.get("kv_connector") == NIXL_CONNECTOR and LIBFABRIC not in nixl_backends(config):
            yield f"{LIBFABRIC} among the backends of its {NIXL_CONNECTOR}"


def _nvlink_of_vllm(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    settings = read_settings(graph, worker)
    lacks: list[str] = []
    if not any(settings.switch(flag) for flag in _FABRIC_MEMORY_FLAGS):
        lacks.append(" or ".join(_FABRIC_MEMORY_FLAGS))
    if (worker.variable(NVLINK_BETWEEN_NODES) or "").lower() not in UCX_ON | UCX_OFF:
        lacks.append(f"{NVLINK_BETWEEN_NODES}=y")
    if lacks:
        yield (
            f"moves KV cache over NVLink between nodes without {' and '.join(lacks)}, as the one published "
            "recipe has it"
        )
    if "expandable_segments:true" in (worker.variable(_ALLOCATOR) or "").lower():
        yield f"has expandable_segments in {_ALLOCATOR}, whose memory has no handle that crosses nodes"


def _off_nvlink(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    value = worker.variable(NVLINK_BETWEEN_NODES) or "unset"
    if value.lower() not in UCX_ON | UCX_OFF and not nodes_without_fabric(graph, worker):
        yield (
            f"has {NVLINK_BETWEEN_NODES} {value} on nodes whose NVLink leads to others, so UCX "
            "tries it between workers without a compute domain; n keeps it off"
        )


def _unfit_switch(graph: ResourceGraph, hop: KvHop, worker: Worker) -> Iterator[str]:
    ucx = UcxTransports(worker.variable(UCX_TRANSPORTS) or None)
    # Over EFA the cache takes libfabric, whatever UCX may do.
    if not ucx.moves_gpu_memory and "efa" not in hop.common and not buffers_on_host(graph, worker):
        yield f"has {UCX_TRANSPORTS}={ucx.written} without cuda_copy: UCX moves no memory of a GPU"
    host = worker.variable(_HANDSHAKE_HOST)
    if host in _OF_THE_POD_ALONE and is_vllm(worker) and _speaks_nixl(graph, worker):
        yield f"tells workers of other pods to fetch its KV cache from {host} ({_HANDSHAKE_HOST})"
    value = worker.variable(NVLINK_BETWEEN_NODES) or ""
    set_to = f"{NVLINK_BETWEEN_NODES}={value}"
    if hop.only("mnnvl") and value.lower() in UCX_OFF:
        yield f"has {set_to}, and NVLink between nodes is the only way that its KV cache has but for TCP"
    if (
        value.lower() in UCX_ON
        # Over EFA libfabric carries the cache.
        and "mnnvl" not in hop.common
        and hop.common & {"rdma", "tcp"}
        # A list that leaves CUDA IPC out leaves the switch without anything to switch.
        and ucx.allows("mnnvl")
        and not nodes_without_fabric(graph, worker)
    ):
        yield (
            f"has {set_to} on nodes whose NVLink leads to others, but {names(hop.group.workers)} do not all "
            "claim a compute domain's channel: UCX imports memory handles that it cannot open"
        )


def _speaks_nixl(graph: ResourceGraph, worker: Worker) -> bool:
    config = moving_config(graph, worker)
    named = None if config is None else text_at(config, "kv_connector")
    return connects_by_itself(worker) if config is None else named == NIXL_CONNECTOR
