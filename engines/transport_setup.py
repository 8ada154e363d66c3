"""How workers are set up for a KV transport: image, backend, UCX and libfabric, privileges.

Network devices and the compute domain come with the placement. Nothing here judges whether a transport
works (hardware/kv_standing.py does); tried or not, this is how it is set up.

Guides of ai-dynamo/dynamo: docs/kubernetes/disagg-communication-guide.md at 3c42642, rdma-setup/overview.md
at a580cdd, cloud-providers/eks/efa.md at 0c21bf2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.release import release_line
from hardware import InstanceType, KvTransportName


@dataclass(frozen=True, slots=True)
class Privileges:
    """What the container gets beyond an ordinary one."""

    privileged: bool = False
    run_as_root: bool = False
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KvProfile:
    """Image, backend, environment and privileges of a worker that hands KV cache over or takes it."""

    backend: str
    """What carries the blocks, in the engine's own word."""
    image_tag: str
    environment: Mapping[str, str]
    library_directories: tuple[str, ...] = ()
    """Searched before the image's own LD_LIBRARY_PATH. A pod's env cannot refer to a value of the image, so
    the container's shell puts them in front."""
    privileges: Privileges | None = None


@dataclass(frozen=True, slots=True)
class TransportWords:
    """What an engine has of its own for the transports; UCX carries the blocks of all others."""

    mnnvl: str
    """Backend over NVLink between nodes."""
    mnnvl_environment: Mapping[str, str]
    efa: str
    """Backend over EFA. With UCX, NIXL's own default, EFA silently ends up at the speed of TCP."""
    efa_environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mnnvl_privileges: Privileges | None = None


# Capabilities act for root alone, and DAC_OVERRIDE lets that root write where the image's user may.
RDMA_PRIVILEGES = Privileges(run_as_root=True, capabilities=("DAC_OVERRIDE", "IPC_LOCK", "SYS_RESOURCE"))
"""RDMA pins the KV cache's memory, which needs IPC_LOCK and SYS_RESOURCE (RDMA guide)."""


def kv_profile(
    transport: KvTransportName,
    words: TransportWords,
    *,
    instance_type: InstanceType,
    runtime_version: str,
    roce: bool,
) -> KvProfile:
    """Return how workers of an engine are set up for the transport.

    Raises:
        ValueError: the tag is no release's, so that nobody knows its image for EFA.

    """
    # UCX tries NVLink between nodes by itself. Between workers that do not share an NVLink domain requests
    # then hang (NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/kv_cache_transceiver.py).
    environment = {"UCX_CUDA_IPC_ENABLE_MNNVL": "n"} if instance_type.nvlink_crosses_nodes else {}
    match transport:
        case "tcp":
            # As in ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4, and in
            # examples/backends/vllm/launch/disagg.sh at 2a6da14.
            return KvProfile("UCX", runtime_version, environment)
        case "nvlink":
            # UCX finds CUDA IPC by itself between processes that see each other's GPUs. Workers of one
            # container are no children of each other: a node with kernel.yama.ptrace_scope 1, the default of
            # Ubuntu, denies them each other's handles of GPU memory (pidfd_getfd) without SYS_PTRACE.
            # Published by ai-dynamo/dynamo docs of release 1.1.1, page "GPT-OSS" (docker run), and in its
            # recipes/gpt-oss-120b/vllm/disagg-b200-agentic/deploy.yaml at 04521f4.
            return KvProfile(
                "UCX",
                runtime_version,
                environment,
                privileges=Privileges(run_as_root=True, capabilities=("DAC_OVERRIDE", "SYS_PTRACE")),
            )
        case "rdma":
            # UCX_TLS is left alone, though one of the publisher's guides sets it: the engine's own ranks talk
            # over UCX too, and a list without shared memory would take that from them. On Ethernet UCX has to
            # be told the address type and which entry of the address table is RoCE v2 with IPv4.
            ethernet = {"UCX_IB_ADDR_TYPE": "eth", "UCX_IB_GID_INDEX": "3"} if roce else {}
            environment = {"UCX_RNDV_SCHEME": "get_zcopy", **ethernet, **environment}
            return KvProfile("UCX", runtime_version, environment, privileges=RDMA_PRIVILEGES)
        case "mnnvl":
            return KvProfile(
                words.mnnvl, runtime_version, words.mnnvl_environment, privileges=words.mnnvl_privileges
            )
        case "efa":
            return KvProfile(
                words.efa,
                efa_image_tag(runtime_version),
                {
                    **words.efa_environment,
                    "FI_PROVIDER": "efa",
                    "FI_EFA_USE_DEVICE_RDMA": "1",
                    "FI_EFA_ENABLE_SHM_TRANSFER": "0",
                    "FI_EFA_ENABLE_SHM": "0",
                    **environment,
                },
                library_directories=("/opt/amazon/efa/lib", "/opt/amazon/efa/lib64", "/opt/aws-ofi-nccl/lib"),
                # NIXL registers GPU memory with the EFA interface, which fails without it; the EFA guide
                # calls IPC_LOCK alone insufficient.
                privileges=Privileges(privileged=True),
            )


def efa_image_tag(runtime_version: str) -> str:
    """Return the tag of the runtime image that has libfabric and the EFA plugins.

    Release pages: 1.2.0-efa, 1.2.1-efa-amd64 and from 1.3.0 on `<version>-efa`, for both amd64 and arm64.

    Raises:
        ValueError: the tag is no release's.

    """
    is_one_tag = release_line(runtime_version) >= (1, 3) or runtime_version == "1.2.0"
    return f"{runtime_version}-efa" if is_one_tag else f"{runtime_version}-efa-amd64"
