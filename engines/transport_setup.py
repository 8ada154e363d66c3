"""What a KV transport asks of a container whatever its engine is: UCX and libfabric, images, privileges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engines.release import release_line
from hardware import InstanceType


@dataclass(frozen=True, slots=True)
class Privileges:
    """What the container gets beyond an ordinary one."""

    reason: str
    source: str
    privileged: bool = False
    run_as_root: bool = False
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KvProfile:
    """Image, backend, environment and privileges of a worker that hands KV cache over or takes it."""

    backend: str
    """What carries the blocks, in the engine's own word."""
    image_tag: str
    source: str
    """Place where the setup was published."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    library_directories: tuple[str, ...] = ()
    """Searched before the image's own LD_LIBRARY_PATH. A pod's env cannot refer to a value of the image, so
    the container's shell puts them in front."""
    privileges: Privileges | None = None


FIRST_LINE_WITH_ONE_EFA_TAG = (1, 3)
"""First version whose EFA image is called `<version>-efa`, for both amd64 and arm64."""

_TRANSPORT_GUIDE = "ai-dynamo/dynamo docs/kubernetes/disagg-communication-guide.md at 3c42642"
EFA_GUIDE = "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2"
ONE_NODE_GUIDE = 'ai-dynamo/dynamo docs of release 1.1.1, page "GPT-OSS" (docker run)'
_RDMA_GUIDE = "ai-dynamo/dynamo docs/kubernetes/rdma-setup/overview.md at a580cdd"

# On Ethernet UCX has to be told the address type and which entry of the address table is RoCE v2 with IPv4.
_ROCE: Mapping[str, str] = MappingProxyType({"UCX_IB_ADDR_TYPE": "eth", "UCX_IB_GID_INDEX": "3"})

EFA_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "FI_PROVIDER": "efa",
        "FI_EFA_USE_DEVICE_RDMA": "1",
        "FI_EFA_ENABLE_SHM_TRANSFER": "0",
        "FI_EFA_ENABLE_SHM": "0",
    }
)
EFA_LIBRARY_DIRECTORIES = ("/opt/amazon/efa/lib", "/opt/amazon/efa/lib64", "/opt/aws-ofi-nccl/lib")
EFA_PRIVILEGES = Privileges(
    reason="NIXL registers GPU memory with the EFA interface, which fails without it; the publisher "
    "calls IPC_LOCK alone insufficient",
    source=EFA_GUIDE,
    privileged=True,
)
RDMA_PRIVILEGES = Privileges(
    reason="RDMA pins the KV cache's memory, which needs IPC_LOCK and SYS_RESOURCE, and capabilities "
    "act for root alone; DAC_OVERRIDE lets that root write where the image's user may",
    source=_RDMA_GUIDE,
    run_as_root=True,
    capabilities=("DAC_OVERRIDE", "IPC_LOCK", "SYS_RESOURCE"),
)
NVLINK_PRIVILEGES = Privileges(
    reason="workers of one container are no children of each other: a node with "
    "kernel.yama.ptrace_scope 1, Ubuntu's default, denies them each other's handles of GPU memory "
    "(pidfd_getfd) without SYS_PTRACE, and capabilities act for root alone; DAC_OVERRIDE lets that "
    "root write where the image's user may",
    source=ONE_NODE_GUIDE,
    run_as_root=True,
    capabilities=("DAC_OVERRIDE", "SYS_PTRACE"),
)


def off_nvlink(instance_type: InstanceType) -> dict[str, str]:
    """Return what keeps UCX off NVLink between nodes, which it tries by itself.

    Between workers that do not share an NVLink domain requests then hang (NVIDIA/TensorRT-LLM
    tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py).
    """
    return {"UCX_CUDA_IPC_ENABLE_MNNVL": "n"} if instance_type.nvlink_crosses_nodes else {}


def rdma_profile(runtime_version: str, instance_type: InstanceType, *, roce: bool) -> KvProfile:
    """Return what UCX needs for InfiniBand, or for RoCE, whatever the engine."""
    # UCX_TLS is left alone, though one of the publisher's guides sets it: the engine's own ranks talk over
    # UCX too, and a list without shared memory would take that from them.
    environment = {"UCX_RNDV_SCHEME": "get_zcopy", **(_ROCE if roce else {}), **off_nvlink(instance_type)}
    return KvProfile("UCX", runtime_version, _TRANSPORT_GUIDE, environment, privileges=RDMA_PRIVILEGES)


def efa_image_tag(runtime_version: str) -> str:
    """Return the tag of the runtime image that has libfabric and the EFA plugins.

    Release pages: 1.2.0-efa, 1.2.1-efa-amd64 and from 1.3.0 on `<version>-efa`.

    Raises:
        ValueError: the tag is no release's.

    """
    if release_line(runtime_version) >= FIRST_LINE_WITH_ONE_EFA_TAG or runtime_version == "1.2.0":
        return f"{runtime_version}-efa"
    return f"{runtime_version}-efa-amd64"
