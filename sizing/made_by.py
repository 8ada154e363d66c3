"""Which recipe makes a measured layout, and the settings that make it so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizing.points import Layout, Point

_ONE_DECODER_OF_FOUR = Layout("tensorrt-llm", 1, 1, 1, 4, 1, attention_data_parallel=False)

# As InferenceX ran TensorRT-LLM on B200 (SemiAnalysisAI/InferenceX 843c625,
# benchmarks/single_node/fixed_seq_len/deprecated/gptoss_fp4_b200_trt.sh). The recipe's own values are for
# prompts of 128 tokens and four ranks of attention data parallelism.
_TENSORRT_LLM_B200: Mapping[str, Any] = {
    "moe_expert_parallel_size": 1,
    "enable_attention_dp": False,
    "moe_config": {"backend": "TRTLLM"},
    "kv_cache_config": {"dtype": "fp8", "free_gpu_memory_fraction": 0.85},
    "max_batch_size": 512,
    "max_num_tokens": 20000,
    "cuda_graph_config": {"max_batch_size": 512},
}


@dataclass(frozen=True, slots=True)
class MadeBy:
    """A recipe of the catalogue, and what a stack sets beside its name."""

    recipe: str
    overrides: Mapping[str, Any]
    """Engine options of its worker; empty where the recipe makes the layout by itself."""


def made_by(point: Point) -> MadeBy | None:
    """Return what makes the layout of a run; None where no recipe of the catalogue does."""
    layout = point.layout
    if point.gpu == "GB200" and layout == _ONE_DECODER_OF_FOUR:
        return MadeBy("gpt-oss-120b/trtllm-disagg", {})
    if layout.prefill_workers or layout.attention_data_parallel or layout.expert_parallel > 1:
        return None
    tensor_parallel = layout.tensor_parallel
    if layout.engine == "vllm":
        overrides = {} if tensor_parallel == 1 else {"tensor_parallel_size": tensor_parallel}
        return MadeBy("gpt-oss-120b/vllm-agg", overrides)
    if point.gpu == "B200":
        overrides = {"tensor_parallel_size": tensor_parallel, **_TENSORRT_LLM_B200}
        return MadeBy("gpt-oss-120b/trtllm-agg", overrides)
    return None
