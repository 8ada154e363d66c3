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
EKS_NODE_RESERVATION = Source(
    "awslabs/amazon-eks-ami nodeadm/internal/kubelet/config.go at 81fec2e (kubeReserved, evictionHard)",
    "2026-07-23",
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
TENSORRT_LLM_GB200_MEMORY = Source("NVIDIA/TensorRT-LLM#12640 (189471 MiB reported by the driver)", "2026")
UNSLOTH_B200_MEMORY = Source(
    "unslothai/unsloth#3411 (nvidia-smi reports 183359 MiB, CUDA 178.35 GiB)", "2025"
)
VLLM_H100_MEMORY = Source(
    "vllm-project/vllm#27508 (gpt-oss-120b on H100: total capacity of 79.11 GiB)", "2025"
)
NO_PUBLIC_READING = Source("no public reading with a named machine was found", "2026-08")

# TensorRT-LLM's kernels for gpt-oss, around release 1.3.0rc14.
TENSORRT_LLM_CREATE_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/create_moe.py at 01f8de5", "2026-05"
)
TENSORRT_LLM_CUTLASS_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_cutlass.py (can_implement)",
    "2026-05",
)
TENSORRT_LLM_TRITON_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_triton.py at 00131d7", "2026-05"
)
TENSORRT_LLM_TRTLLM_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_trtllm_gen.py at 026946f", "2026-05"
)
TENSORRT_LLM_HOPPER_TRTLLM = Source("NVIDIA/TensorRT-LLM#17570 (IndexError in the autotuner)", "2026")
TENSORRT_LLM_GPT_OSS = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/models/modeling_gpt_oss.py at 050b6cb", "2026-05"
)
TENSORRT_LLM_ACCURACY_TESTS = Source(
    "NVIDIA/TensorRT-LLM tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)",
    "2026-05",
)

# Models and engines' settings.
GPT_OSS_CONFIGS = Source(
    "ai-dynamo/aiconfigurator src/aiconfigurator/model_configs at 095f58a (config.json of "
    "openai/gpt-oss-120b and openai/gpt-oss-20b)",
    "2026",
)
HUGGING_FACE_CONFIGS = Source(
    "config.json of each repository on Hugging Face, most of them as kept in ai-dynamo/aiconfigurator "
    "src/aiconfigurator/model_configs at 095f58a",
    "2026-08",
)
TENSORRT_LLM_ARGUMENTS = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, in the fork Tracin/TensorRT-LLM at 21a5a51: the "
    "stored commit nearest to release 1.3.0rc14",
    "2026-05",
)
DYNAMO_ARGUMENTS = Source(
    "ai-dynamo 1.2.1 from PyPI: argparse of dynamo.trtllm, dynamo.vllm and dynamo.frontend", "2026-06"
)
DYNAMO_OPTIONS = Source(
    "ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.0 from PyPI (argparse of dynamo.trtllm, dynamo.vllm, "
    "dynamo.sglang and dynamo.frontend), with the engines that each names: vllm 0.20.1, 0.23.0, 0.26.0, "
    "0.28.0 and 0.31.0 (vllm/engine/arg_utils.py, vllm/config/load.py, "
    "vllm/v1/attention/backends/registry.py, vllm/distributed/kv_transfer/kv_connector/factory.py; for "
    "vllm serve its cli_args.py in vllm/entrypoints/openai, since 0.31.0 in launchers), sglang 0.5.11, "
    "0.5.14, 0.5.16, 0.5.18 and 0.5.21 (sglang/srt/server_args.py)",
    "2026-11",
)
TENSORRT_LLM_KV_CACHE_DTYPES = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py (validate_and_set_kv_cache_quant)",
    "2026-05",
)

# Memory of gpt-oss.
TENSORRT_LLM_MXFP4_PADDING = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/quantization.py (MXFP4 weight alignment)",
    "2026-05",
)
VLLM_MXFP4_PADDING = Source("vllm 0.20.1 vllm/model_executor/layers/quantization/mxfp4.py", "2026")
AICONFIGURATOR_MEMORY = Source(
    "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a", "2026"
)

# vLLM's kernels for gpt-oss, release 0.20.1.
VLLM_MXFP4_ORACLE = Source("vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py", "2026")
VLLM_KV_CACHE_DTYPES = Source("vllm 0.20.1 vllm/config/cache.py (CacheDType)", "2026")

# Ways of the KV cache.
DYNAMO_TRANSPORT_GUIDE = Source("ai-dynamo/dynamo docs disagg-communication-guide.md at 3c42642", "2026")
DYNAMO_RDMA_GUIDE = Source("ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd", "2026")
DYNAMO_EFA_GUIDE = Source("ai-dynamo/dynamo docs cloud-providers/eks/efa.md at 0c21bf2", "2026")
DYNAMO_RELEASE_NOTES_1_2 = Source("ai-dynamo/dynamo release notes of 1.2 (known issues)", "2026-06")
DYNAMO_RELEASE_NOTES_1_3 = Source("ai-dynamo/dynamo release notes of 1.3 and 1.4 (EFA on GB200)", "2026-08")
DYNAMO_GB200_EFA = Source("ai-dynamo/dynamo#13005, #13112 (EFA GPU RDMA failed silently on GB200)", "2026-08")
TENSORRT_LLM_AWS_GB200 = Source("NVIDIA/TensorRT-LLM#16619", "2026-07-22")
AWSOME_INFERENCE_EFA = Source("aws-samples/awsome-inference#71", "2026")
UCX_FABRIC_HANDLES = Source("openucx/ucx#11514", "2026")
