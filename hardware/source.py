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


# Of machines: machines.yaml.
EC2_EFA_GUIDE = Source(
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html", "2026-08-01"
)
FSX_LUSTRE_PRICES = Source("https://aws.amazon.com/fsx/lustre/pricing/, us-east-1", "2026-11")

# Ways of the KV cache.
DYNAMO_TRANSPORT_GUIDE = Source("ai-dynamo/dynamo docs disagg-communication-guide.md at 3c42642", "2026")
DYNAMO_ONE_NODE_GUIDES = Source(
    'NVIDIA Dynamo documentation, pages "GPT-OSS" of TensorRT-LLM and of vLLM (a machine, GPUs 0-3 and 4-7)',
    "2025",
)
DYNAMO_RDMA_GUIDE = Source("ai-dynamo/dynamo docs rdma-setup/overview.md at a580cdd", "2026")
DYNAMO_EFA_GUIDE = Source("ai-dynamo/dynamo docs cloud-providers/eks/efa.md at 0c21bf2", "2026")
DYNAMO_RELEASE_NOTES_1_2 = Source("ai-dynamo/dynamo release notes of 1.2 (known issues)", "2026-06")
DYNAMO_GB200_EFA = Source("ai-dynamo/dynamo#13005, #13112 (EFA GPU RDMA failed silently on GB200)", "2026-08")
GB200_ON_AWS_REPORT = Source("NVIDIA/TensorRT-LLM#16619", "2026-07-22")
AWSOME_INFERENCE_EFA = Source("aws-samples/awsome-inference#71", "2026")
UCX_FABRIC_HANDLES = Source("openucx/ucx#11514", "2026")
