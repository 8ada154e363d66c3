from hardware.accelerators import ACCELERATORS, Accelerator, ArchitectureFamily
from hardware.gpt_oss import GPT_OSS_MODELS, ModelShape
from hardware.instance_type import CpuArchitecture, InstanceType, LocalNvme, PurchaseOption
from hardware.instance_types import INSTANCE_TYPES
from hardware.kv_transport import (
    KV_TRANSPORTS,
    TCP_FLOW_GBIT,
    TCP_GBIT,
    Engine,
    KvPath,
    KvTransportName,
    Standing,
    kv_path,
    requests_per_second,
    transfer_seconds,
)
from hardware.moe_kernels import (
    MOE_BACKENDS,
    MoeBackend,
    MoeOutcome,
    MoeSupport,
    default_moe_backend,
    moe_support,
)
from hardware.network_interfaces import NetworkInterface, NetworkLayout
from hardware.quantization import (
    MXFP4_ALGORITHMS,
    MxFp4Algorithm,
    MxFp4AlgorithmName,
    algorithms_with_kernels,
    default_algorithm,
    fp8_kv_cache_is_tested,
)
from hardware.source import Source
from hardware.ultraservers import UltraServer, Zone

__all__ = [
    "ACCELERATORS",
    "GPT_OSS_MODELS",
    "INSTANCE_TYPES",
    "KV_TRANSPORTS",
    "MOE_BACKENDS",
    "MXFP4_ALGORITHMS",
    "TCP_FLOW_GBIT",
    "TCP_GBIT",
    "Accelerator",
    "ArchitectureFamily",
    "CpuArchitecture",
    "Engine",
    "InstanceType",
    "KvPath",
    "KvTransportName",
    "LocalNvme",
    "ModelShape",
    "MoeBackend",
    "MoeOutcome",
    "MoeSupport",
    "MxFp4Algorithm",
    "MxFp4AlgorithmName",
    "NetworkInterface",
    "NetworkLayout",
    "PurchaseOption",
    "Source",
    "Standing",
    "UltraServer",
    "Zone",
    "algorithms_with_kernels",
    "default_algorithm",
    "default_moe_backend",
    "fp8_kv_cache_is_tested",
    "kv_path",
    "moe_support",
    "requests_per_second",
    "transfer_seconds",
]
