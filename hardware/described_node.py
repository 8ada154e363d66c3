"""A node outside EC2, by what its owner says of it."""

from types import MappingProxyType

from hardware.accelerators import Accelerator
from hardware.instance_type import InstanceType, LocalNvme
from hardware.kv_transport import TCP_GBIT
from hardware.network_interfaces import NetworkLayout

_POD_NETWORK = NetworkLayout(
    network_cards=0, interfaces=(), efa_gbit_per_second=0, ip_gbit_per_second=TCP_GBIT
)


def described_node(
    accelerator: Accelerator, *, gpus: int, vcpus: int, memory_gib: int, nvlink_domain_gpus: int
) -> InstanceType:
    """Return a node that no cloud of this project sells: without EFA, zones, offers and prices.

    Args:
        accelerator: the model of its GPUs, which says the CPU architecture too.
        gpus: of one node.
        vcpus: CPUs that pods can have.
        memory_gib: GiB that pods can have.
        nvlink_domain_gpus: GPUs of one NVLink domain.

    """
    architecture = accelerator.host.cpu_architecture
    return InstanceType(
        name=f"{gpus}x{accelerator.name}-{architecture}",
        accelerator=accelerator,
        gpus=gpus,
        cpu_architecture=architecture,
        vcpus=vcpus,
        memory_gib=memory_gib,
        nvlink_domain_gpus=(nvlink_domain_gpus,),
        network=_POD_NETWORK,
        gpudirect_rdma=False,
        pod_takes_every_efa_interface=False,
        local_nvme=LocalNvme(count=0, gigabytes_each=0),
        purchase_options=(),
        ultraservers=(),
        regions=(),
        zones=(),
        on_demand_usd_per_gpu_hour=None,
        capacity_block_usd_per_gpu_hour=None,
        sources=MappingProxyType({}),
    )
