from hardware.accelerators import (
    ACCELERATORS,
    GPU_RESOURCE,
    Accelerator,
    ArchitectureFamily,
    CpuArchitecture,
    Host,
)
from hardware.aws import (
    LARGEST_PACKET_TO_REGION,
    is_local_zone,
    lustre_usd_per_hour,
)
from hardware.instance_type import (
    InstanceType,
    LocalNvme,
    NetworkInterface,
    NetworkLayout,
    PurchaseOption,
    described_node,
)
from hardware.instance_types import INSTANCE_TYPES
from hardware.kv_standing import kv_path
from hardware.kv_transport import (
    FIRST_TOKEN_SECONDS_WITHOUT_RDMA,
    KV_TRANSPORTS,
    TCP_FIRST_TOKEN_SECONDS,
    TCP_FLOW_GBIT,
    TCP_GBIT,
    TCP_GIGABYTES_PER_SECOND,
    EfaEvidence,
    KvPath,
    KvTransportName,
    Standing,
    requests_per_second,
    tcp_range,
    transfer_range,
    transfer_seconds,
)
from hardware.source import FSX_LUSTRE_PRICES, Source
from hardware.ultraservers import UltraServer, Zone

__all__ = [
    "ACCELERATORS",
    "FIRST_TOKEN_SECONDS_WITHOUT_RDMA",
    "FSX_LUSTRE_PRICES",
    "GPU_RESOURCE",
    "INSTANCE_TYPES",
    "KV_TRANSPORTS",
    "LARGEST_PACKET_TO_REGION",
    "TCP_FIRST_TOKEN_SECONDS",
    "TCP_FLOW_GBIT",
    "TCP_GBIT",
    "TCP_GIGABYTES_PER_SECOND",
    "Accelerator",
    "ArchitectureFamily",
    "CpuArchitecture",
    "EfaEvidence",
    "Host",
    "InstanceType",
    "KvPath",
    "KvTransportName",
    "LocalNvme",
    "NetworkInterface",
    "NetworkLayout",
    "PurchaseOption",
    "Source",
    "Standing",
    "UltraServer",
    "Zone",
    "described_node",
    "is_local_zone",
    "kv_path",
    "lustre_usd_per_hour",
    "requests_per_second",
    "tcp_range",
    "transfer_range",
    "transfer_seconds",
]
