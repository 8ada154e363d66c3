"""What replaced options of older guides, what is on its way out, and the options of trtllm-serve.

Where nothing else is said, from argparse of dynamo.trtllm, dynamo.vllm and dynamo.frontend in the PyPI
package ai-dynamo 1.2.1.
"""

from collections.abc import Mapping
from types import MappingProxyType

TRTLLM_SERVE_FLAGS_LINE = (1, 3)
"""Release line that the list of trtllm-serve's options was read from."""


def _flags(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())


OPTION_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType({"dynamo.trtllm": ("--trtllm.", "--dit-")})
"""Command -> how further options begin."""

REMOVED_FLAGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "dynamo.trtllm": MappingProxyType(
            {
                "--disaggregation-strategy": "leave it out: every disaggregated request starts in prefill",
                "--store-kv": "write --discovery-backend",
            }
        ),
        "dynamo.frontend": MappingProxyType({"--store-kv": "write --discovery-backend"}),
        "trtllm-serve": MappingProxyType({"--moe_backend": "write moe_config.backend in the engine file"}),
        "dynamo.vllm": MappingProxyType(
            {
                "--connector": "write --kv-transfer-config with a kv_connector",
                "--store-kv": "write --discovery-backend",
            }
        ),
    }
)
"""Command -> option that older guides name -> what to write instead."""

# NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 00209af, and in the forks chuangz0/TensorRT-LLM at
# eb97997 and connorcarpenter15/TensorRT-LLM at 8f029f1.
TRTLLM_SERVE_FLAGS: frozenset[str] = _flags(
    """
    tokenizer custom_tokenizer host port backend log_level max_beam_width max_batch_size max_num_tokens
    max_seq_len tensor_parallel_size tp_size pipeline_parallel_size pp_size context_parallel_size cp_size
    moe_expert_parallel_size ep_size moe_cluster_parallel_size gpus_per_node free_gpu_memory_fraction
    kv_cache_free_gpu_memory_fraction kv_cache_dtype num_postprocess_workers trust_remote_code hf_revision
    extra_llm_api_options reasoning_parser tool_parser server_role otlp_traces_endpoint enable_chunked_prefill
    enable_attention_dp chat_template served_model_name
    """
)
"""Options of trtllm-serve that have underscores and no dashes; there are others for media and agents."""

DEPRECATED_FLAGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "dynamo.vllm": MappingProxyType(
            {
                "--is-prefill-worker": "write --disaggregation-mode prefill",
                "--is-decode-worker": "write --disaggregation-mode decode",
            }
        ),
        "trtllm-serve": MappingProxyType(
            {
                "--moe_cluster_parallel_size": "leave it out",
                "--revision": "write --hf_revision",
            }
        ),
    }
)
"""Command -> option that still works -> what to write instead."""

_PREFILL_AND_DECODE = ("prefill_and_decode", "prefill", "decode", "encode")

DISAGGREGATION_MODES: Mapping[str, Mapping[tuple[int, int], tuple[str, ...]]] = MappingProxyType(
    {
        "dynamo.trtllm": MappingProxyType(
            {
                (0, 6): _PREFILL_AND_DECODE,
                (1, 3): ("agg", "pd", *_PREFILL_AND_DECODE),
                (1, 4): ("agg", "pd", "prefill", "decode", "encode"),
            }
        ),
        "dynamo.vllm": MappingProxyType(
            {
                (1, 0): ("agg", "prefill", "decode"),
                (1, 1): ("agg", "prefill", "decode", "encode"),
                (1, 3): ("agg", "pd", "prefill", "decode", "encode"),
            }
        ),
    }
)
"""Command -> release line from which on -> values of --disaggregation-mode.

PyPI packages ai-dynamo 0.6.1, 0.7.1, 0.8.1, 0.9.1, 1.0.2, 1.1.1, 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1:
dynamo/trtllm/backend_args.py and dynamo/vllm/backend_args.py, and where 0.x has them.
"""
