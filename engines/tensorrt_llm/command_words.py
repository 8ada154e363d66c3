"""Words of the commands that start TensorRT-LLM, and the releases of its own image.

Of dynamo.trtllm where nothing else is said from argparse in the PyPI package ai-dynamo 1.2.1.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.command_options import STORE_KV, CommandWords
from engines.release import ReleaseLine

_PREFILL_AND_DECODE = ("prefill_and_decode", "prefill", "decode", "encode")

COMMANDS: Mapping[str, CommandWords] = MappingProxyType(
    {
        "dynamo.trtllm": CommandWords(
            removed={
                "--disaggregation-strategy": "leave it out: every disaggregated request starts in prefill",
                **STORE_KV,
            },
            prefixes=("--trtllm.", "--dit-"),
            disaggregation_modes={
                (0, 6): _PREFILL_AND_DECODE,
                (1, 3): ("agg", "pd", *_PREFILL_AND_DECODE),
                (1, 4): ("agg", "pd", "prefill", "decode", "encode"),
            },
        ),
        "trtllm-serve": CommandWords(
            removed={"--moe_backend": "write moe_config.backend in the engine file"},
            deprecated={"--moe_cluster_parallel_size": "leave it out", "--revision": "write --hf_revision"},
        ),
    }
)
"""Command -> its words."""

OWN_IMAGES: Mapping[str, Mapping[ReleaseLine, ReleaseLine]] = MappingProxyType(
    {"tensorrt-llm/release": {(1, 3): (1, 2)}}
)
"""End of the engine's own repository -> its release -> the line of Dynamo that names the same release."""

TRTLLM_SERVE_FLAGS_LINE = (1, 3)
"""Release line that the list of trtllm-serve's options was read from."""

# NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 00209af, and in the forks chuangz0/TensorRT-LLM at
# eb97997 and connorcarpenter15/TensorRT-LLM at 8f029f1.
_SERVE_FLAGS = """
    tokenizer custom_tokenizer host port backend log_level max_beam_width max_batch_size max_num_tokens
    max_seq_len tensor_parallel_size tp_size pipeline_parallel_size pp_size context_parallel_size cp_size
    moe_expert_parallel_size ep_size moe_cluster_parallel_size gpus_per_node free_gpu_memory_fraction
    kv_cache_free_gpu_memory_fraction kv_cache_dtype num_postprocess_workers trust_remote_code hf_revision
    extra_llm_api_options reasoning_parser tool_parser server_role otlp_traces_endpoint enable_chunked_prefill
    enable_attention_dp chat_template served_model_name
"""
TRTLLM_SERVE_FLAGS = frozenset(f"--{name}" for name in _SERVE_FLAGS.split())
"""Options of trtllm-serve that have underscores and no dashes; there are others for media and agents."""
