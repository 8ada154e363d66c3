"""Where a hardware number comes from: nothing in this room is a number without one of these."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One public source and the day on which it was read or published.

    A price or a driver's view of memory changes without notice, so the date belongs to the number.
    """

    text: str
    date: str
    """ISO date (year-month-day, or year-month where the source names no day)."""


EC2_DESCRIBE_INSTANCE_TYPES = Source(
    "EC2 DescribeInstanceTypes, as packaged in getmoto/moto 5.2.5 moto/ec2/resources/instance_types.json.gz",
    "2026-08",
)
EKS_ULTRASERVER_GUIDE = Source(
    "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html",
    "2026-08-01",
)
EC2_PRICE_LIST = Source("AWS Price List API, us regions, on-demand Linux", "2026-09-19")
CAPACITY_BLOCK_PRICES = Source("https://aws.amazon.com/ec2/capacityblocks/pricing/", "2026-07-01")
GPU_FEATURE_DISCOVERY = Source(
    "https://github.com/NVIDIA/k8s-device-plugin (gpu-feature-discovery, label nvidia.com/gpu.product)",
    "2026-08",
)
CUDA_COMPUTE_CAPABILITY = Source("https://developer.nvidia.com/cuda-gpus", "2026-08")
TENSORRT_LLM_GB200_MEMORY = Source("NVIDIA/TensorRT-LLM#12640 (189471 MiB reported by the driver)", "2026")
UNSLOTH_B200_MEMORY = Source("unslothai/unsloth#3411 (nvidia-smi reports 183359 MiB)", "2025")
