"""Which recipe makes a measured layout, and the settings that make it so."""

from collections.abc import Mapping
from typing import Any

from engines.engine import WorkerRole
from sizing.points import Layout, Point

_PREFILL_WORKERS_OF_A_TRAY = (1, 2)
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


MadeBy = tuple[str, Mapping[WorkerRole, Mapping[str, Any]]]
"""A recipe of the catalogue, and the engine options by role that a stack sets beside its name; none where the
recipe makes the layout by itself."""


def made_by(point: Point) -> MadeBy | None:
    """Return what makes the layout of a run; None where no recipe of the catalogue does."""
    layout = point.layout
    if point.gpu == "GB200":
        return _on_gb200(layout)
    if layout.prefill_workers or layout.attention_data_parallel or layout.expert_parallel > 1:
        return None
    tensor_parallel = layout.tensor_parallel
    if layout.engine == "vllm":
        changed = {} if tensor_parallel == 1 else {"tensor_parallel_size": tensor_parallel}
        return "gpt-oss-120b/vllm-agg", _of_workers(changed)
    if point.gpu == "B200":
        changed = {"tensor_parallel_size": tensor_parallel, **_TENSORRT_LLM_B200}
        return "gpt-oss-120b/trtllm-agg", _of_workers(changed)
    return None


def _of_workers(options: Mapping[str, Any]) -> Mapping[WorkerRole, Mapping[str, Any]]:
    return {"worker": options} if options else {}


def _on_gb200(layout: Layout) -> MadeBy | None:
    if layout == _ONE_DECODER_OF_FOUR:
        return "gpt-oss-120b/trtllm-disagg", {}
    if _fits_a_tray(layout):
        return "gpt-oss-120b/trtllm-disagg-one-pod", _decode_overrides(layout)
    return None


def _fits_a_tray(layout: Layout) -> bool:
    """Whether it is prefill workers of one GPU and a decode worker of two, which the four of a tray hold."""
    return (
        layout.prefill_workers in _PREFILL_WORKERS_OF_A_TRAY
        and (layout.prefill_tensor_parallel, layout.workers, layout.tensor_parallel) == (1, 1, 2)
        and layout.attention_data_parallel == (layout.expert_parallel == layout.tensor_parallel)
    )


def _decode_overrides(layout: Layout) -> Mapping[WorkerRole, Mapping[str, Any]]:
    if not layout.attention_data_parallel:
        return {}
    # As NVIDIA/srt-slurm-recipes at ec6c3de has it in 8k1k-disagg-dep2.yaml. Each rank has a batch of its
    # own, and of the 512 users of the runs half.
    return {
        "decode": {
            "enable_attention_dp": True,
            "moe_expert_parallel_size": layout.expert_parallel,
            "max_batch_size": 256,
            "cuda_graph_config": {"max_batch_size": 256},
        }
    }
