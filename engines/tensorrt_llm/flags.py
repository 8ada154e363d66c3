"""Options of `python3 -m dynamo.trtllm` that are engine options under another name.

Read in dynamo/trtllm/backend_args.py of the PyPI package ai-dynamo 1.2.1. --kv-block-size is none of them: it
tells the router how large the engine's blocks are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class EngineFlag:
    """One option of the command line."""

    setting: tuple[str, ...]
    """Path of the engine option."""
    default: int | float | bool | None
    """Of the flag; None: the engine's own default holds."""


FILE_FLAG = "--extra-engine-args"
ENGINE_FLAGS: Mapping[str, EngineFlag] = MappingProxyType(
    {
        "--tensor-parallel-size": EngineFlag(("tensor_parallel_size",), 1),
        "--pipeline-parallel-size": EngineFlag(("pipeline_parallel_size",), 1),
        "--expert-parallel-size": EngineFlag(("moe_expert_parallel_size",), None),
        "--enable-attention-dp": EngineFlag(("enable_attention_dp",), default=False),
        "--gpus-per-node": EngineFlag(("gpus_per_node",), None),
        "--max-batch-size": EngineFlag(("max_batch_size",), 2048),
        "--max-num-tokens": EngineFlag(("max_num_tokens",), 8192),
        "--max-seq-len": EngineFlag(("max_seq_len",), None),
        "--max-beam-width": EngineFlag(("max_beam_width",), 1),
        "--free-gpu-memory-fraction": EngineFlag(("kv_cache_config", "free_gpu_memory_fraction"), 0.9),
        "--load-format": EngineFlag(("load_format",), None),
        "--guided-decoding-backend": EngineFlag(("guided_decoding_backend",), None),
    }
)
"""Option -> the engine option that it sets where the engine file has no other value."""
