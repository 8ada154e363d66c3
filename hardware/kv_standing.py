"""How far each way of the KV cache is proven on which nodes, and what it demands of placement."""

from collections.abc import Mapping
from dataclasses import replace

from hardware.accelerators import ArchitectureFamily
from hardware.instance_type import InstanceType
from hardware.kv_transport import (
    NVLINK_GBIT,
    RDMA_FIRST_TOKEN_SECONDS,
    RDMA_GBIT,
    TCP_FIRST_TOKEN_SECONDS,
    KvPath,
    KvTransportName,
    Standing,
    efa_path,
)
from hardware.source import (
    DYNAMO_EFA_GUIDE,
    DYNAMO_GB200_EFA,
    DYNAMO_ONE_NODE_GUIDES,
    DYNAMO_RDMA_GUIDE,
    DYNAMO_RELEASE_NOTES_1_2,
    DYNAMO_TRANSPORT_GUIDE,
    EC2_EFA_GUIDE,
    GB200_ON_AWS_REPORT,
    UCX_FABRIC_HANDLES,
    Source,
)

FIRST_RUNTIME_WITH_EFA_ON_GB200 = (1, 3, 1)

_NVLINK_GBIT: Mapping[ArchitectureFamily, float] = {
    "blackwell": NVLINK_GBIT,
    # Half of the 900 and 600 GB/s that NVIDIA's data sheets of H100, H200 and A100 give for both directions.
    "hopper": 3_600.0,
    "ampere": 2_400.0,
}


def kv_path(
    transport: KvTransportName,
    instance_type: InstanceType,
    *,
    efa: KvPath,
    runtime: tuple[int, int, int],
    rdma: bool,
    one_machine: bool,
    one_pod: bool = False,
) -> KvPath:
    """What is known of the transport between workers on such nodes.

    Args:
        transport: the way to judge.
        instance_type: of all nodes that prefill and decode run on.
        efa: what is published of the workers' engine.
        runtime: version of the Dynamo runtime image.
        rdma: whether the nodes offer an InfiniBand or RoCE device as a resource.
        one_machine: whether all workers are on one node for sure.
        one_pod: whether prefill and decode are processes of one container.
    """
    if one_pod and transport in {"mnnvl", "efa"}:
        return _beyond_the_pod(transport, instance_type)
    match transport:
        case "nvlink":
            return _nvlink(instance_type, one_pod=one_pod)
        case "mnnvl":
            return _mnnvl(instance_type)
        case "rdma":
            return _rdma(rdma)
        case "efa":
            return _efa(instance_type, efa, runtime)
        case "tcp":
            inside = one_machine or one_pod
            return _tcp(None if inside else instance_type.network.ip_gbit_per_second, one_pod=one_pod)


def _nvlink(instance_type: InstanceType, *, one_pod: bool) -> KvPath:
    if not one_pod:
        return _impossible(
            "nvlink",
            "CUDA hands GPU memory from process to process within one process namespace, and each pod has "
            "its own",
            UCX_FABRIC_HANDLES,
            lifted_by="a recipe whose prefill and decode are processes of one pod",
        )
    return KvPath(
        "nvlink",
        Standing.DOCUMENTED,
        "prefill and decode are processes of one container, which open each other's GPU memory by CUDA IPC; "
        "so NVIDIA's guides run them on one node",
        DYNAMO_ONE_NODE_GUIDES,
        _NVLINK_GBIT[instance_type.accelerator.architecture_family],
        lifted_by="nothing: it is the fastest way that a node has",
        ends_at_pod=True,
    )


def _beyond_the_pod(transport: KvTransportName, instance_type: InstanceType) -> KvPath:
    return _impossible(
        transport,
        "prefill and decode are processes of one pod, which this leads out of",
        DYNAMO_EFA_GUIDE if transport == "efa" else UCX_FABRIC_HANDLES,
        lifted_by=f"nvlink, which joins the GPUs of a {instance_type.name}",
    )


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
        "reported failing on AWS GB200: gpt-oss-120b, one-GPU prefill to four-GPU decode on two "
        "nodes of one NVL72, completed no request under any UCX setting and answered HTTP 200",
        GB200_ON_AWS_REPORT,
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


def _efa(instance_type: InstanceType, published: KvPath, runtime: tuple[int, int, int]) -> KvPath:
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
    path = _efa_on_gb200(runtime) if instance_type.pod_takes_every_efa_interface else published
    if path.standing is Standing.IMPOSSIBLE:
        return path
    return replace(path, gbit_per_second=instance_type.network.efa_gbit_per_second / instance_type.gpus)


def _efa_on_gb200(runtime: tuple[int, int, int]) -> KvPath:
    if runtime < FIRST_RUNTIME_WITH_EFA_ON_GB200:
        return _impossible(
            "efa",
            "disaggregated serving over EFA fails on GB200 with every backend before runtime 1.3.1",
            DYNAMO_RELEASE_NOTES_1_2,
            lifted_by="runtime 1.3.1 or later, and all EFA interfaces of its node in each pod",
        )
    return efa_path(
        Standing.UNPROVEN,
        "on GB200 the published images pair an EFA plugin and a libfabric that do not match: GPU RDMA was "
        "seen to fail silently",
        DYNAMO_GB200_EFA,
        lifted_by="completed requests on two trays with all EFA interfaces in each pod and an "
        "rdma_read_bytes counter that grows",
        one_pod_per_node=True,
    )


def _tcp(gbit: float | None, *, one_pod: bool) -> KvPath:
    fastest, slowest = RDMA_FIRST_TOKEN_SECONDS
    return KvPath(
        "tcp",
        Standing.UNPROVEN,
        f"it works and is slow: NVIDIA's guide gives about {TCP_FIRST_TOKEN_SECONDS:.0f} s to the first "
        f"token, {fastest} to {slowest} s over RDMA",
        DYNAMO_TRANSPORT_GUIDE,
        gbit,
        lifted_by="nvlink, over which the processes of one pod reach each other's GPUs"
        if one_pod
        else "network cards with RDMA in both pods (EFA, InfiniBand or RoCE), or on GB200 a "
        "ComputeDomain that puts all workers on one NVLink domain",
    )


def _impossible(transport: KvTransportName, reason: str, source: Source, *, lifted_by: str) -> KvPath:
    return KvPath(transport, Standing.IMPOSSIBLE, reason, source, None, lifted_by)
