"""What each KV transport asks of a vLLM worker: image, NIXL backend, environment and privileges.

Network devices and the compute domain come with the placement. Nothing here judges whether a transport
works (hardware/kv_transport.py does); tried or not, this is how it is set up.
"""

from dataclasses import replace

from engines.transport_setup import (
    EFA_ENVIRONMENT,
    EFA_GUIDE,
    EFA_LIBRARY_DIRECTORIES,
    EFA_PRIVILEGES,
    NVLINK_PRIVILEGES,
    RDMA_PRIVILEGES,
    KvProfile,
    efa_image_tag,
    off_nvlink,
    rdma_profile,
)
from hardware import EfaEvidence, InstanceType, KvTransportName, Standing
from hardware.source import DYNAMO_EFA_GUIDE

_LAUNCH_SCRIPT = "ai-dynamo/dynamo examples/backends/vllm/launch/disagg.sh at 2a6da14"
_NVLINK_GB300 = "ai-dynamo/dynamo recipes/inkling/vllm/disagg-gb300-agentic at 472ac24"

_ONE_POD = "ai-dynamo/dynamo recipes/gpt-oss-120b/vllm/disagg-b200-agentic/deploy.yaml at 04521f4"

_MNNVL = {"UCX_TLS": "cuda_copy,cuda_ipc,tcp", "UCX_CUDA_IPC_ENABLE_MNNVL": "y", "UCX_MEMTYPE_CACHE": "n"}

EFA = EfaEvidence(
    Standing.DOCUMENTED,
    "NVIDIA's EFA guide runs vLLM with NIXL over libfabric on EKS",
    DYNAMO_EFA_GUIDE,
    lifted_by="more EFA interfaces in a pod (more GPUs)",
)


def kv_profile(
    transport: KvTransportName, *, instance_type: InstanceType, runtime_version: str, roce: bool = False
) -> KvProfile:
    """Return how workers are set up for the transport; the protocol says the rest (engines/engine.py)."""
    match transport:
        case "tcp":
            return KvProfile("UCX", runtime_version, _LAUNCH_SCRIPT, off_nvlink(instance_type))
        case "nvlink":
            environment = off_nvlink(instance_type)
            return KvProfile("UCX", runtime_version, _ONE_POD, environment, privileges=NVLINK_PRIVILEGES)
        case "rdma":
            return rdma_profile(runtime_version, instance_type, roce=roce)
        case "mnnvl":
            # The publisher shares the host's IPC namespace as well; fabric handles need none
            # (openucx/ucx#11514).
            privileges = replace(RDMA_PRIVILEGES, source=_NVLINK_GB300)
            return KvProfile("UCX", runtime_version, _NVLINK_GB300, dict(_MNNVL), privileges=privileges)
        case "efa":
            # With UCX, NIXL's own default, EFA silently ends up at the speed of TCP.
            return KvProfile(
                "LIBFABRIC",
                efa_image_tag(runtime_version),
                EFA_GUIDE,
                {**EFA_ENVIRONMENT, **off_nvlink(instance_type)},
                library_directories=EFA_LIBRARY_DIRECTORIES,
                privileges=EFA_PRIVILEGES,
            )
