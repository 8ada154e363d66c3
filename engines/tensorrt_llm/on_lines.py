"""TensorRT-LLM in the images of each line of Dynamo's runtime."""

from collections.abc import Mapping
from types import MappingProxyType

from engines.release import RELEASE_NOTES, WHEELS, Defect, EngineOnLine, Sourced, Workaround

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


_ARGUMENTS = f"{WHEELS}: dynamo/trtllm/backend_args.py"

ON_LINES: Mapping[str, EngineOnLine] = MappingProxyType(
    {
        "1.2": EngineOnLine(
            "1.3.0rc14",
            "tensorrt_llm",
            defects=(
                Defect(
                    "TensorRT-LLM with attention data parallelism picks DeepEP on GB200 and stops",
                    f"workers there get {WITHOUT_DEEP_EP.name}={WITHOUT_DEEP_EP.value}",
                    "read",
                    WITHOUT_DEEP_EP.source,
                ),
                Defect(
                    "TensorRT-LLM takes DeepEP on other GPUs too, where ranks may not share memory",
                    f"workers there get {DEEP_EP_OFF.name}={DEEP_EP_OFF.value}",
                    "inferred",
                    DEEP_EP_OFF.source,
                ),
            ),
        ),
        "1.4": EngineOnLine(
            "1.3.0rc22",
            "backend",
            option_changes=(
                Sourced(
                    "dynamo.trtllm: --publish-events-and-metrics became --publish-kv-events; "
                    "the old name warns",
                    "read",
                    _ARGUMENTS,
                ),
                Sourced(
                    "dynamo.trtllm: --disaggregation-mode prefill_and_decode is refused; agg is the default",
                    "read",
                    _ARGUMENTS,
                ),
            ),
            defects=(
                Defect(
                    "a TensorRT-LLM worker whose engine was killed stays healthy",
                    "run `dynamo-stack smoke`, which asks for an answer",
                    "read",
                    f"{RELEASE_NOTES} of 1.3 and 1.4 (known issues)",
                ),
            ),
        ),
    }
)
"""Line -> what is known of the engine in it."""
