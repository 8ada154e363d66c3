"""How the KV cache can travel from prefill to decode pods, and how far each way is proven."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from hardware.instance_type import InstanceType
from hardware.source import (
    AWSOME_INFERENCE_EFA,
    DYNAMO_EFA_GUIDE,
    DYNAMO_GB200_EFA,
    DYNAMO_RDMA_GUIDE,
    DYNAMO_RELEASE_NOTES_1_2,
    DYNAMO_TRANSPORT_GUIDE,
    EC2_EFA_GUIDE,
    TENSORRT_LLM_AWS_GB200,
    UCX_FABRIC_HANDLES,
    Source,
)

KvTransportName = Literal["mnnvl", "rdma", "efa", "tcp"]
KV_TRANSPORTS: tuple[KvTransportName, ...] = ("mnnvl", "rdma", "efa", "tcp")
Engine = Literal["tensorrt-llm", "vllm"]

NVLINK_GBIT = 7_200.0
"""One direction of one GPU's fifth-generation NVLink, 900 GB/s, in Gbit/s (NVIDIA GB200 NVL72 data sheet)."""
RDMA_GBIT = 400.0
"""One InfiniBand NDR or 400G RoCE adapter, in Gbit/s."""
TCP_GBIT = 25.0
"""A common bandwidth of a pod network between machines of unknown type, in Gbit/s."""
TCP_FLOW_GBIT = 5.0
"""What EC2 lets one TCP flow between machines carry outside a cluster placement group, in Gbit/s
(https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html)."""
TCP_GIGABYTES_PER_SECOND = (1.0, 3.0)
"""What TCP hands over, in GB/s: the rate by which NVIDIA's EFA guide recognises it (DYNAMO_EFA_GUIDE)."""
TCP_FIRST_TOKEN_SECONDS = 98.0
"""Seconds to the first token over TCP (DYNAMO_TRANSPORT_GUIDE)."""
RDMA_FIRST_TOKEN_SECONDS = (0.2, 0.5)
"""Seconds to the first token over RDMA (DYNAMO_TRANSPORT_GUIDE)."""
FIRST_TOKEN_SECONDS_WITHOUT_RDMA = 10.0
"""A first token that takes longer was not handed over by RDMA: how the guide recognises the fallback to TCP
(DYNAMO_TRANSPORT_GUIDE)."""

FIRST_RUNTIME_WITH_EFA_ON_GB200 = (1, 3, 1)


class Standing(Enum):
    """How sure it is that a transport works on some hardware with some runtime."""

    IMPOSSIBLE = "impossible"
    UNPROVEN = "unproven"
    """It may work: a person must type it."""
    DOCUMENTED = "documented"
    """The publisher of engine or platform says that it works on such hardware."""


@dataclass(frozen=True, slots=True)
class KvPath:
    """One transport on one kind of node."""

    transport: KvTransportName
    standing: Standing
    reason: str
    """One sentence: why it is impossible, or what the evidence is."""
    source: Source
    gbit_per_second: float | None
    """Line rate between two workers of one GPU each, no protocol overhead.

    None if impossible, and inside one machine over TCP: that passes no network card, and nobody publishes
    what it carries."""
    lifted_by: str
    """What would raise the ceiling or prove the path."""
    reported_failing: bool = False
    """Somebody tried it on this hardware, and no request was completed."""
    same_clique: bool = False
    """All workers must be in one NVLink clique."""
    same_zone: bool = False
    """All workers must be in one availability zone."""
    different_nodes: bool = False
    """A prefill and a decode worker must not share a node."""
    one_pod_per_node: bool = False
    """A node has room for one pod of the transport, however many GPUs are left."""


def kv_path(
    transport: KvTransportName,
    instance_type: InstanceType,
    *,
    engine: Engine,
    runtime: tuple[int, int, int],
    rdma: bool,
    one_machine: bool,
) -> KvPath:
    """What is known of the transport between pods on such nodes.

    Args:
        transport: the way to judge.
        instance_type: of all nodes that prefill and decode run on.
        engine: of the workers.
        runtime: version of the Dynamo runtime image.
        rdma: whether the nodes offer an InfiniBand or RoCE device as a resource.
        one_machine: whether all workers are on one node for sure.
    """
    match transport:
        case "mnnvl":
            return _mnnvl(instance_type)
        case "rdma":
            return _rdma(rdma)
        case "efa":
            return _efa(instance_type, engine, runtime)
        case "tcp":
            return _tcp(None if one_machine else instance_type.network.ip_gbit_per_second)


def transfer_seconds(payload_bytes: int, gbit_per_second: float) -> float:
    """How long the bytes are on the wire at line rate."""
    return payload_bytes * 8 / (gbit_per_second * 1e9)


def requests_per_second(payload_bytes: int, gbit_per_second: float) -> float:
    """How many requests with that much KV cache a path hands over, one after the other, at line rate."""
    return 1 / transfer_seconds(payload_bytes, gbit_per_second)


def transfer_range(payload_bytes: int, path: KvPath) -> tuple[float, float]:
    """The least and the most seconds that the bytes are under way, by what is known of the path."""
    if path.gbit_per_second is None:
        return tcp_range(payload_bytes)
    line_rate = transfer_seconds(payload_bytes, path.gbit_per_second)
    if path.transport != "tcp":
        return line_rate, line_rate
    return line_rate, transfer_seconds(payload_bytes, TCP_FLOW_GBIT)


def tcp_range(payload_bytes: int) -> tuple[float, float]:
    """The least and the most seconds that TCP as NVIDIA measures it needs (TCP_GIGABYTES_PER_SECOND)."""
    slow, fast = TCP_GIGABYTES_PER_SECOND
    return payload_bytes / (fast * 1e9), payload_bytes / (slow * 1e9)


def _mnnvl(instance_type: InstanceType) -> KvPath:
    if not instance_type.nvlink_crosses_nodes:
        return _impossible(
            "mnnvl",
            f"the NVLink of {instance_type.name} ends at the node, and pods of one node cannot share GPU "
            "memory over it: only fabric memory crosses pods, and x86 has none",
            UCX_FABRIC_HANDLES,
            lifted_by="GB200 trays of one NVLink domain",
        )
    return KvPath(
        "mnnvl",
        Standing.UNPROVEN,
        "reported failing on AWS GB200: in TensorRT-LLM PR 16619 gpt-oss-120b, one-GPU prefill to four-GPU "
        "decode on two nodes of one NVL72, completed no request under any UCX setting and answered HTTP 200",
        TENSORRT_LLM_AWS_GB200,
        NVLINK_GBIT,
        lifted_by="completed requests on two p6e-gb200 trays with a ComputeDomain on prefill and decode, "
        "mUseFabricMemory:1 in the workers' logs and NVLink counters that grow",
        reported_failing=True,
        same_clique=True,
        # The DRA driver prepares one IMEX channel, for one claim, on a node
        # (kubernetes-sigs/dra-driver-nvidia-gpu#353): a second claiming pod stays Pending.
        one_pod_per_node=True,
    )


def _rdma(offered: bool) -> KvPath:
    if not offered:
        return _impossible(
            "rdma",
            "the nodes offer no InfiniBand or RoCE device to pods; without one the engines fall back to TCP "
            "and say nothing",
            DYNAMO_RDMA_GUIDE,
            lifted_by="nodes with InfiniBand or RoCE adapters and a device plugin (EC2 has EFA instead)",
        )
    return KvPath(
        "rdma",
        Standing.DOCUMENTED,
        "NVIDIA's guide asks for RDMA between pods, on one node as on several",
        DYNAMO_TRANSPORT_GUIDE,
        RDMA_GBIT,
        lifted_by="more than one adapter in a pod (UCX_MAX_RNDV_RAILS)",
    )


def _efa(instance_type: InstanceType, engine: Engine, runtime: tuple[int, int, int]) -> KvPath:
    if not instance_type.efa_interfaces:
        return _impossible(
            "efa",
            f"{instance_type.name} has no EFA interface",
            EC2_EFA_GUIDE,
            lifted_by="an instance type with EFA",
        )
    if not instance_type.gpudirect_rdma:
        return _impossible(
            "efa",
            f"EFA on {instance_type.name} cannot read or write GPU memory (no GPUDirect RDMA)",
            EC2_EFA_GUIDE,
            lifted_by="p5.48xlarge or larger",
        )
    if instance_type.pod_takes_every_efa_interface:
        return _efa_on_gb200(instance_type, runtime)
    if engine == "vllm":
        return _efa_path(
            instance_type,
            Standing.DOCUMENTED,
            "NVIDIA's EFA guide runs vLLM with NIXL over libfabric on EKS",
            DYNAMO_EFA_GUIDE,
            lifted_by="more EFA interfaces in a pod (more GPUs)",
        )
    return _efa_path(
        instance_type,
        Standing.UNPROVEN,
        "nobody has published TensorRT-LLM serving over EFA: the one proof is a handshake between two p5 "
        "nodes with a custom image, and NVIDIA's documents disagree on libfabric or UCX",
        AWSOME_INFERENCE_EFA,
        lifted_by="completed requests on two nodes with `Backend LIBFABRIC was instantiated` in the workers' "
        "logs and an rdma_read_bytes counter that grows; or vLLM, for which EFA is documented",
    )


def _efa_on_gb200(instance_type: InstanceType, runtime: tuple[int, int, int]) -> KvPath:
    if runtime < FIRST_RUNTIME_WITH_EFA_ON_GB200:
        return _impossible(
            "efa",
            "disaggregated serving over EFA fails on GB200 with every backend before runtime 1.3.1",
            DYNAMO_RELEASE_NOTES_1_2,
            lifted_by="runtime 1.3.1 or later, and all EFA interfaces of its node in each pod",
        )
    return _efa_path(
        instance_type,
        Standing.UNPROVEN,
        "on GB200 the published images pair an EFA plugin and a libfabric that do not match: GPU RDMA was "
        "seen to fail silently",
        DYNAMO_GB200_EFA,
        lifted_by="completed requests on two trays with all EFA interfaces in each pod and an "
        "rdma_read_bytes counter that grows",
        one_pod_per_node=True,
    )


def _efa_path(
    instance_type: InstanceType,
    standing: Standing,
    reason: str,
    source: Source,
    *,
    lifted_by: str,
    one_pod_per_node: bool = False,
) -> KvPath:
    # Between two pods of one node libfabric retries without end ("fi_read still retrying EAGAIN",
    # ai-dynamo/dynamo#7764, ofiwg/libfabric#12328).
    return KvPath(
        "efa",
        standing,
        reason,
        source,
        instance_type.efa_gbit_per_second_per_gpu,
        lifted_by,
        same_zone=True,
        different_nodes=True,
        one_pod_per_node=one_pod_per_node,
    )


def _tcp(gbit: float | None) -> KvPath:
    fastest, slowest = RDMA_FIRST_TOKEN_SECONDS
    return KvPath(
        "tcp",
        Standing.UNPROVEN,
        f"it works and is slow: NVIDIA's guide gives about {TCP_FIRST_TOKEN_SECONDS:.0f} s to the first "
        f"token, {fastest} to {slowest} s over RDMA",
        DYNAMO_TRANSPORT_GUIDE,
        gbit,
        lifted_by="network cards with RDMA in both pods (EFA, InfiniBand or RoCE), or on GB200 a "
        "ComputeDomain that puts all workers on one NVLink domain",
    )


def _impossible(transport: KvTransportName, reason: str, source: Source, *, lifted_by: str) -> KvPath:
    return KvPath(transport, Standing.IMPOSSIBLE, reason, source, None, lifted_by)
