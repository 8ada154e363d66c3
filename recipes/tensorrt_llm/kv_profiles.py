"""What each KV transport asks of a TensorRT-LLM worker: image, backend, environment and privileges.

Network devices and the compute domain come with the placement. Nothing here judges whether a transport
works (hardware/kv_transport.py does); tried or not, this is how it is set up.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hardware import INSTANCE_TYPES, InstanceType, KvTransportName
from recipes.placed import PlacedRecipe, PlacedService
from recipes.tensorrt_llm.blocks import TransceiverBackend

FIRST_LINE_WITH_ONE_EFA_TAG = (1, 3)
"""First version whose EFA image is called `<version>-efa`, for both amd64 and arm64."""

_TRANSPORT_GUIDE = "ai-dynamo/dynamo docs/kubernetes/disagg-communication-guide.md at 3c42642"
_RDMA_GUIDE = "ai-dynamo/dynamo docs/kubernetes/rdma-setup/overview.md at a580cdd"
_EFA_GUIDE = "ai-dynamo/dynamo docs/kubernetes/cloud-providers/eks/efa.md at 0c21bf2"
_PUBLISHED_RECIPE = "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
_WIDE_EP_GB200 = "ai-dynamo/dynamo recipes/deepseek-r1/trtllm/disagg/wide_ep/gb200/deploy.yaml at 09783f6"

# On Ethernet UCX has to be told the address type and which entry of the address table is RoCE v2 with IPv4.
_ROCE: Mapping[str, str] = {"UCX_IB_ADDR_TYPE": "eth", "UCX_IB_GID_INDEX": "3"}
# UCX tries NVLink between nodes by itself; between workers that do not share an NVLink domain requests then
# hang (NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py).
_NO_NVLINK_BETWEEN_NODES: Mapping[str, str] = {"UCX_CUDA_IPC_ENABLE_MNNVL": "n"}


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
    """How a worker is set up for one KV transport."""

    backend: TransceiverBackend
    """Value of cache_transceiver_config.backend in the engine file."""
    image_tag: str
    source: str
    """Place where the setup was published."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    library_directories: tuple[str, ...] = ()
    """Searched before the image's own LD_LIBRARY_PATH. A pod's env cannot refer to a value of the image, so
    the container's shell puts them in front."""
    privileges: Privileges | None = None


def kv_profile(
    transport: KvTransportName, *, instance_type: InstanceType, runtime_version: str, roce: bool = False
) -> KvProfile:
    """Return how prefill and decode workers are set up for the transport.

    Args:
        transport: what carries KV-cache blocks.
        instance_type: of the worker's nodes.
        runtime_version: tag of the runtime image without EFA, such as 1.2.1.
        roce: the nodes' RDMA devices speak RoCE; otherwise InfiniBand.

    Raises:
        ValueError: EFA with a tag that is no release's, whose EFA image has no known name.

    """
    off_nvlink = dict(_NO_NVLINK_BETWEEN_NODES) if instance_type.nvlink_crosses_nodes else {}
    match transport:
        case "tcp":
            return KvProfile("UCX", runtime_version, _PUBLISHED_RECIPE, off_nvlink)
        case "rdma":
            return _rdma(runtime_version, {**(_ROCE if roce else {}), **off_nvlink})
        case "mnnvl":
            return _mnnvl(runtime_version)
        case "efa":
            return _efa(runtime_version, off_nvlink)


def efa_image_tag(runtime_version: str) -> str:
    """Return the tag of the runtime image that has libfabric and the EFA plugins.

    Release pages: 1.2.0-efa, 1.2.1-efa-amd64 and from 1.3.0 on `<version>-efa`.

    Raises:
        ValueError: the tag is no release's.

    """
    if release_line(runtime_version) >= FIRST_LINE_WITH_ONE_EFA_TAG or runtime_version == "1.2.0":
        return f"{runtime_version}-efa"
    return f"{runtime_version}-efa-amd64"


def release_line(runtime_version: str) -> tuple[int, int]:
    """Return major and minor version of an image tag such as 1.2.1.

    Raises:
        ValueError: the tag does not begin with a release's number.

    """
    found = re.match(r"([0-9]+)\.([0-9]+)\.", runtime_version)
    if found is None:
        raise ValueError(f"{runtime_version} is no release of the runtime image, such as 1.2.1")
    return int(found[1]), int(found[2])


def service_kv_profile(placed: PlacedRecipe, service: PlacedService) -> KvProfile | None:
    """Return how the service is set up for the graph's KV transport; None where it transfers nothing."""
    if placed.kv_transport is None or service.placement is None:
        return None
    return kv_profile(
        placed.kv_transport.name,
        instance_type=INSTANCE_TYPES[service.placement.instance_type],
        runtime_version=placed.recipe.runtime.version,
        roce=service.placement.rdma_fabric == "roce",
    )


def _rdma(runtime_version: str, environment: dict[str, str]) -> KvProfile:
    # UCX_TLS is left alone, though one of the publisher's guides sets it: the engine's own ranks talk over
    # UCX too, and a list without shared memory would take that from them.
    return KvProfile(
        "UCX",
        runtime_version,
        _TRANSPORT_GUIDE,
        {"UCX_RNDV_SCHEME": "get_zcopy", **environment},
        privileges=Privileges(
            reason="RDMA pins the KV cache's memory, which needs IPC_LOCK and SYS_RESOURCE, and capabilities "
            "act for root alone; DAC_OVERRIDE lets that root write where the image's user may",
            source=_RDMA_GUIDE,
            run_as_root=True,
            capabilities=("DAC_OVERRIDE", "IPC_LOCK", "SYS_RESOURCE"),
        ),
    )


def _mnnvl(runtime_version: str) -> KvProfile:
    # No privilege: the compute domain's claim brings the device of the IMEX channel.
    return KvProfile(
        "DEFAULT",
        runtime_version,
        _WIDE_EP_GB200,
        {"NCCL_MNNVL_ENABLE": "1", "NCCL_CUMEM_ENABLE": "1", "UCX_CUDA_IPC_ENABLE_MNNVL": "y"},
    )


def _efa(runtime_version: str, environment: dict[str, str]) -> KvProfile:
    return KvProfile(
        # With UCX, NIXL's own default, EFA silently ends up at the speed of TCP.
        "NIXL",
        efa_image_tag(runtime_version),
        _EFA_GUIDE,
        {
            "TRTLLM_NIXL_KVCACHE_BACKEND": "LIBFABRIC",
            "FI_PROVIDER": "efa",
            "FI_EFA_USE_DEVICE_RDMA": "1",
            "FI_EFA_ENABLE_SHM_TRANSFER": "0",
            "FI_EFA_ENABLE_SHM": "0",
            **environment,
        },
        library_directories=("/opt/amazon/efa/lib", "/opt/amazon/efa/lib64", "/opt/aws-ofi-nccl/lib"),
        privileges=Privileges(
            reason="NIXL registers GPU memory with the EFA interface, which fails without it; the publisher "
            "calls IPC_LOCK alone insufficient",
            source=_EFA_GUIDE,
            privileged=True,
        ),
    )
