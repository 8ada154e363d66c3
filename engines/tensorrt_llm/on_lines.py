"""What keeps workers away from defects of TensorRT-LLM in the images of one line of Dynamo's runtime."""

from engines.release import Workaround

DEEP_EP_CRASH_LINE = (1, 2)
"""Release line of Dynamo whose TensorRT-LLM has the defect that `WITHOUT_DEEP_EP` avoids."""
DEEP_EP_CRASH_ACCELERATOR = "GB200"

WITHOUT_DEEP_EP = Workaround(
    "TRTLLM_FORCE_COMM_METHOD",
    "ALLGATHER",
    "with attention data parallelism the engine of release 1.2 picks DeepEP on GB200 and stops with an "
    "illegal memory access",
    "ai-dynamo/dynamo#9914",
)
DEEP_EP_OFF = Workaround(
    "TRTLLM_CAN_USE_DEEP_EP",
    "0",
    "where a rank may not open its neighbours' GPU memory, the engine of release 1.2 takes DeepEP, which "
    "stops on GB200, before all-gather; where it may, nothing changes",
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/communication at 03c36d6",
)
"""On every other GPU: `WITHOUT_DEEP_EP` would forbid the ways over NVLink too, which work there."""
