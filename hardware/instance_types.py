"""The EC2 instance types this project knows: what one node of a pool is."""

from collections.abc import Mapping
from types import MappingProxyType

from hardware.accelerators import B200, B300, GB200, H100, H200
from hardware.instance_type import (
    InstanceType,
    LocalNvme,
    PurchaseOption,
    network_layout,
)
from hardware.source import (
    CAPACITY_BLOCK_PRICES,
    DYNAMO_RELEASE_NOTES_1_3,
    EC2_ACCELERATED_SPECIFICATIONS,
    EC2_DESCRIBE_INSTANCE_TYPES,
    EC2_EFA_GUIDE,
    EC2_OFFERINGS,
    EC2_PRICE_LIST,
    EKS_EFA_GUIDE,
    EKS_ULTRASERVER_GUIDE,
    Source,
)
from hardware.ultraservers import GB200_ZONES, X36, X72

_EIGHT_NVME = LocalNvme(count=8, gigabytes_each=3_800)
_EVERY_PURCHASE_OPTION: tuple[PurchaseOption, ...] = ("on-demand", "spot", "capacity-block")


def _sources(shape: Source, **others: Source) -> Mapping[str, Source]:
    shape_fields = ("accelerator", "gpus", "cpu_architecture", "vcpus", "memory_gib", "nvlink_domain_gpus")
    sources = dict.fromkeys(shape_fields, shape) | {
        "network": EKS_EFA_GUIDE,
        "gpudirect_rdma": EC2_EFA_GUIDE,
        "pod_takes_every_efa_interface": EKS_EFA_GUIDE,
        "local_nvme": shape,
        "purchase_options": shape,
        "ultraservers": shape,
        "regions": EC2_OFFERINGS,
        "zones": shape,
        "on_demand_usd_per_gpu_hour": EC2_PRICE_LIST,
        "capacity_block_usd_per_gpu_hour": CAPACITY_BLOCK_PRICES,
    }
    return MappingProxyType(sources | others)


P6_B200 = InstanceType(
    name="p6-b200.48xlarge",
    accelerator=B200,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    network=network_layout(8, range(8), efa_gbit=3_200, ip_gbit=200),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=False,
    local_nvme=_EIGHT_NVME,
    purchase_options=_EVERY_PURCHASE_OPTION,
    ultraservers=(),
    regions=(
        "ap-south-1",
        "ap-south-2",
        "eu-north-1",
        "eu-west-3",
        "us-east-1",
        "us-east-2",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=113.9328 / 8,
    capacity_block_usd_per_gpu_hour=12.355,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
P6_B300 = InstanceType(
    name="p6-b300.48xlarge",
    accelerator=B300,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=4096,
    nvlink_domain_gpus=(8,),
    # 17 cards and at most 16 EFA interfaces: card 0 has none, an EFA interface there fails the launch.
    network=network_layout(17, range(1, 17), efa_gbit=6_400, ip_gbit=350),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=False,
    local_nvme=_EIGHT_NVME,
    purchase_options=_EVERY_PURCHASE_OPTION,
    ultraservers=(),
    regions=(
        "ap-northeast-2",
        "ap-south-2",
        "ap-southeast-3",
        "sa-east-1",
        "us-east-1",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=142.416 / 8,
    capacity_block_usd_per_gpu_hour=14.04,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES, network=EC2_EFA_GUIDE),
)
# One tray of an NVL72 rack: 4 GPUs and arm64. A profile with 8 GPUs on x86 that circulates under the
# name "p6-gb200" describes no machine that is sold; a worker sized by it would never be scheduled.
P6E_GB200 = InstanceType(
    name="p6e-gb200.36xlarge",
    accelerator=GB200,
    gpus=4,
    cpu_architecture="arm64",
    vcpus=144,
    memory_gib=960,
    nvlink_domain_gpus=(36, 72),
    # Cards 1-4, 5-8, 9-12 and 13-16 are a group for one GPU, which takes 400 Gbit/s at most. EKS uses one
    # efa-only interface a group, on its first card: odd cards are efa-only and 400 Gbit/s. AWS
    # ParallelCluster (aws/aws-parallelcluster#6930) fills all sixteen, which is no faster and leaves the
    # device plugin with 16 devices instead of 4.
    network=network_layout(17, (1, 5, 9, 13), efa_gbit=1_600, ip_gbit=100),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=True,
    local_nvme=LocalNvme(count=3, gigabytes_each=7_500),
    purchase_options=("capacity-block",),
    ultraservers=(X36, X72),
    regions=(),
    zones=GB200_ZONES,
    on_demand_usd_per_gpu_hour=None,
    capacity_block_usd_per_gpu_hour=10.582,
    sources=_sources(EKS_ULTRASERVER_GUIDE, pod_takes_every_efa_interface=DYNAMO_RELEASE_NOTES_1_3),
)
P5EN = InstanceType(
    name="p5en.48xlarge",
    accelerator=H200,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    network=network_layout(16, range(16), efa_gbit=3_200, ip_gbit=200),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=False,
    local_nvme=_EIGHT_NVME,
    purchase_options=_EVERY_PURCHASE_OPTION,
    ultraservers=(),
    regions=(
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-south-1",
        "ap-southeast-3",
        "eu-north-1",
        "eu-south-2",
        "me-central-1",
        "us-east-1",
        "us-east-2",
        "us-west-1",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=63.296 / 8,
    capacity_block_usd_per_gpu_hour=6.241,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
P5E = InstanceType(
    name="p5e.48xlarge",
    accelerator=H200,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    network=network_layout(32, range(32), efa_gbit=3_200, ip_gbit=100),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=False,
    local_nvme=_EIGHT_NVME,
    # DescribeInstanceTypes lists on demand too, but the price list has no such offer to quote.
    purchase_options=("spot", "capacity-block"),
    ultraservers=(),
    regions=(
        "ap-southeast-2",
        "ap-southeast-3",
        "eu-north-1",
        "eu-west-2",
        "sa-east-1",
        "us-east-2",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=None,
    capacity_block_usd_per_gpu_hour=5.97,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES, purchase_options=EC2_PRICE_LIST),
)
P5 = InstanceType(
    name="p5.48xlarge",
    accelerator=H100,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    network=network_layout(32, range(32), efa_gbit=3_200, ip_gbit=100),
    gpudirect_rdma=True,
    pod_takes_every_efa_interface=False,
    local_nvme=_EIGHT_NVME,
    purchase_options=_EVERY_PURCHASE_OPTION,
    ultraservers=(),
    regions=(
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-south-1",
        "ap-southeast-2",
        "ap-southeast-3",
        "ca-central-1",
        "eu-north-1",
        "eu-west-2",
        "sa-east-1",
        "us-east-1",
        "us-east-2",
        "us-west-1",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=55.04 / 8,
    capacity_block_usd_per_gpu_hour=5.191,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
P5_ONE_GPU = InstanceType(
    name="p5.4xlarge",
    accelerator=H100,
    gpus=1,
    cpu_architecture="amd64",
    vcpus=16,
    memory_gib=256,
    nvlink_domain_gpus=(1,),
    network=network_layout(1, range(1), efa_gbit=100, ip_gbit=100),
    gpudirect_rdma=False,
    pod_takes_every_efa_interface=False,
    local_nvme=LocalNvme(count=1, gigabytes_each=3_800),
    purchase_options=_EVERY_PURCHASE_OPTION,
    ultraservers=(),
    regions=(
        "ap-northeast-1",
        "ap-south-1",
        "ap-southeast-2",
        "ap-southeast-3",
        "eu-north-1",
        "eu-west-2",
        "sa-east-1",
        "us-east-1",
        "us-east-2",
        "us-west-2",
    ),
    zones=(),
    on_demand_usd_per_gpu_hour=6.88,
    capacity_block_usd_per_gpu_hour=None,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES, gpudirect_rdma=EC2_ACCELERATED_SPECIFICATIONS),
)

INSTANCE_TYPES: Mapping[str, InstanceType] = MappingProxyType(
    {
        instance_type.name: instance_type
        for instance_type in (P6_B200, P6_B300, P6E_GB200, P5EN, P5E, P5, P5_ONE_GPU)
    }
)
