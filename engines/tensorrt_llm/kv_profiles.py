"""What each KV transport asks of a TensorRT-LLM worker: image, backend, environment and privileges.

Network devices and the compute domain come with the placement. Nothing here judges whether a transport
works (hardware/kv_transport.py does); tried or not, this is how it is set up.
"""

from engines.transport_setup import (
    EFA_ENVIRONMENT,
    EFA_GUIDE,
    EFA_LIBRARY_DIRECTORIES,
    EFA_PRIVILEGES,
    NVLINK_PRIVILEGES,
    ONE_NODE_GUIDE,
    KvProfile,
    efa_image_tag,
    off_nvlink,
    rdma_profile,
)
from hardware import EfaEvidence, InstanceType, KvTransportName, Standing
from hardware.source import AWSOME_INFERENCE_EFA

_PUBLISHED_RECIPE = "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
_WIDE_EP_GB200 = "ai-dynamo/dynamo recipes/deepseek-r1/trtllm/disagg/wide_ep/gb200/deploy.yaml at 09783f6"

_MNNVL = {"NCCL_MNNVL_ENABLE": "1", "NCCL_CUMEM_ENABLE": "1", "UCX_CUDA_IPC_ENABLE_MNNVL": "y"}

EFA = EfaEvidence(
    Standing.UNPROVEN,
    "nobody has published TensorRT-LLM serving over EFA: the one proof is a handshake between two p5 "
    "nodes with a custom image, and NVIDIA's documents disagree on libfabric or UCX",
    AWSOME_INFERENCE_EFA,
    lifted_by="completed requests on two nodes with `Backend LIBFABRIC was instantiated` in the workers' "
    "logs and an rdma_read_bytes counter that grows; or vLLM, for which EFA is documented",
)


def kv_profile(
    transport: KvTransportName, *, instance_type: InstanceType, runtime_version: str, roce: bool = False
) -> KvProfile:
    """Return how workers are set up for the transport; the protocol says the rest (engines/engine.py)."""
    match transport:
        case "tcp":
            return KvProfile("UCX", runtime_version, _PUBLISHED_RECIPE, off_nvlink(instance_type))
        case "nvlink":
            # UCX finds CUDA IPC by itself between processes that see each other's GPUs.
            environment = off_nvlink(instance_type)
            return KvProfile(
                "UCX", runtime_version, ONE_NODE_GUIDE, environment, privileges=NVLINK_PRIVILEGES
            )
        case "rdma":
            return rdma_profile(runtime_version, instance_type, roce=roce)
        case "mnnvl":
            # No privilege: the compute domain's claim brings the device of the IMEX channel.
            return KvProfile("DEFAULT", runtime_version, _WIDE_EP_GB200, dict(_MNNVL))
        case "efa":
            return _efa(runtime_version, off_nvlink(instance_type))


def _efa(runtime_version: str, environment: dict[str, str]) -> KvProfile:
    return KvProfile(
        # With UCX, NIXL's own default, EFA silently ends up at the speed of TCP.
        "NIXL",
        efa_image_tag(runtime_version),
        EFA_GUIDE,
        {"TRTLLM_NIXL_KVCACHE_BACKEND": "LIBFABRIC", **EFA_ENVIRONMENT, **environment},
        library_directories=EFA_LIBRARY_DIRECTORIES,
        privileges=EFA_PRIVILEGES,
    )
