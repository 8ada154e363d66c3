"""Where a hardware number comes from: nothing in this room is a number without one of these."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One public source and the day on which it was read or published.

    A price or a driver's view of memory changes without notice, so the date belongs to the number.
    """

    text: str
    date: str
    """ISO date (year-month-day, or year-month or year where the source names no day)."""


# Instance types, network cards, prices.
EC2_DESCRIBE_INSTANCE_TYPES = Source(
    "EC2 DescribeInstanceTypes, as packaged in getmoto/moto 5.2.5 moto/ec2/resources/instance_types.json.gz",
    "2026-08",
)
EC2_OFFERINGS = Source(
    "EC2 DescribeInstanceTypeOfferings, as packaged in getmoto/moto 5.2.5 "
    "moto/ec2/resources/instance_type_offerings",
    "2026-08",
)
EC2_EFA_GUIDE = Source(
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html", "2026-08-01"
)
EC2_ACCELERATED_SPECIFICATIONS = Source(
    "https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", "2026-08-01"
)
EKS_EFA_GUIDE = Source(
    "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html", "2026-08-01"
)
EKS_ULTRASERVER_GUIDE = Source(
    "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html", "2026-08-01"
)
P6_PRODUCT_PAGE = Source("https://aws.amazon.com/ec2/instance-types/p6/", "2026-08-01")
EC2_PRICE_LIST = Source("AWS Price List API, us regions, on-demand Linux", "2026-09-19")
CAPACITY_BLOCK_PRICES = Source("https://aws.amazon.com/ec2/capacityblocks/pricing/", "2026-07-01")
FSX_LUSTRE_PRICES = Source("https://aws.amazon.com/fsx/lustre/pricing/, us-east-1", "2026-11")

# GPUs.
GPU_FEATURE_DISCOVERY = Source(
    "https://github.com/NVIDIA/k8s-device-plugin (gpu-feature-discovery, label nvidia.com/gpu.product: the "
    "driver's name of the GPU, spaces as hyphens)",
    "2026-08",
)
COSMOS_B300_NAME = Source(
    "NVIDIA/cosmos-framework#114 (the driver's name is NVIDIA B300 SXM6 AC); gpu-feature-discovery writes "
    "spaces as hyphens",
    "2026-07-16",
)
CUDA_COMPUTE_CAPABILITY = Source("https://developer.nvidia.com/cuda-gpus", "2026-08")
GB200_DRIVER_MEMORY = Source("NVIDIA/TensorRT-LLM#12640 (189471 MiB reported by the driver)", "2026")
UNSLOTH_B200_MEMORY = Source(
    "unslothai/unsloth#3411 (nvidia-smi reports 183359 MiB, CUDA 178.35 GiB)", "2025"
)
H100_REPORTED_MEMORY = Source(
    "vllm-project/vllm#27508 (gpt-oss-120b on H100: total capacity of 79.11 GiB)", "2025"
)
GB300_DRIVER_MEMORY = Source(
    "Oracle, OCI GPU Quick Start: NVIDIA GB300 (nvidia-smi of driver 580.105.08 on BM.GPU.GB300.4: "
    "NVIDIA GB300, 284208 MiB each)",
    "2025-12-11",
)
MEGATRON_GB300_MEMORY = Source(
    "NVIDIA-NeMo/Megatron-Bridge#2221 (GB300: total capacity of 276.50 GiB)", "2026-02-04"
)
NO_PUBLIC_READING = Source("no public reading with a named machine was found", "2026-08")

# Machines.
NVIDIA_HGX = Source(
    "https://www.nvidia.com/en-us/data-center/hgx/ (boards of 4 or 8 GPUs in x86 machines, of 16 with A100)",
    "2026-08",
)
NVIDIA_NVL72 = Source(
    "https://docs.nvidia.com/enterprise-reference-architectures/nvl72-ai-factory/latest/components.html "
    "(a tray has 4 GPUs and 2 Grace processors, a rack one NVLink domain of 72 GPUs)",
    "2026-08",
)

# Ways of the KV cache.
DYNAMO_TRANSPORT_GUIDE = Source("ai-dynamo/dynamo docs disagg-communication-guide.md at 3c42642", "2026")
DYNAMO_ONE_NODE_GUIDES = Source(
    'NVIDIA Dynamo documentation, pages "GPT-OSS" of TensorRT-LLM and of vLLM (a machine, GPUs 0-3 and 4-7)',
    "2025",
)
DYNAMO_RDMA_GUIDE = Source("ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd", "2026")
DYNAMO_EFA_GUIDE = Source("ai-dynamo/dynamo docs cloud-providers/eks/efa.md at 0c21bf2", "2026")
DYNAMO_RELEASE_NOTES_1_2 = Source("ai-dynamo/dynamo release notes of 1.2 (known issues)", "2026-06")
DYNAMO_RELEASE_NOTES_1_3 = Source("ai-dynamo/dynamo release notes of 1.3 and 1.4 (EFA on GB200)", "2026-08")
DYNAMO_GB200_EFA = Source("ai-dynamo/dynamo#13005, #13112 (EFA GPU RDMA failed silently on GB200)", "2026-08")
GB200_ON_AWS_REPORT = Source("NVIDIA/TensorRT-LLM#16619", "2026-07-22")
AWSOME_INFERENCE_EFA = Source("aws-samples/awsome-inference#71", "2026")
UCX_FABRIC_HANDLES = Source("openucx/ucx#11514", "2026")
