"""The commands that start TensorRT-LLM: their words, and options that are engine options by another name."""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.command_options import STORE_KV, CommandWords

_Default = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command line, and the engine setting behind it."""

    flags: tuple[str, ...]
    """Names of the option; the last one given on a command line wins."""
    setting: tuple[str, ...]
    """Path of the engine setting; empty where the option is no engine setting."""
    default: _Default = None
    """Of the flag; None: the engine's own default holds."""
    variable: str | None = None
    """Environment variable that acts where no flag does; None without one."""
    is_switch: bool = False


def _dynamo(name: str, *setting: str, default: _Default = None) -> Option:
    variable = f"DYN_TRTLLM_{name.replace('-', '_').upper()}"
    return Option((f"--{name}",), setting, default, variable, isinstance(default, bool))


OVERRIDE_ENGINE_ARGS = _dynamo("override-engine-args", default="")
DYNAMIC_PREFIX = "--trtllm."
"""How a flag begins that overrides the engine option whose dotted path follows."""
_DYNAMO = (
    _dynamo("tensor-parallel-size", "tensor_parallel_size", default=1),
    _dynamo("pipeline-parallel-size", "pipeline_parallel_size", default=1),
    _dynamo("expert-parallel-size", "moe_expert_parallel_size"),
    _dynamo("enable-attention-dp", "enable_attention_dp", default=False),
    _dynamo("gpus-per-node", "gpus_per_node"),
    _dynamo("max-batch-size", "max_batch_size", default=2048),
    _dynamo("max-num-tokens", "max_num_tokens", default=8192),
    _dynamo("max-seq-len", "max_seq_len"),
    _dynamo("max-beam-width", "max_beam_width", default=1),
    _dynamo("free-gpu-memory-fraction", "kv_cache_config", "free_gpu_memory_fraction", default=0.9),
    _dynamo("load-format", "load_format"),
    _dynamo("guided-decoding-backend", "guided_decoding_backend"),
)
_SERVE = (
    Option(("--tp_size", "--tensor_parallel_size"), ("tensor_parallel_size",), 1),
    Option(("--pp_size", "--pipeline_parallel_size"), ("pipeline_parallel_size",), 1),
    Option(("--cp_size", "--context_parallel_size"), ("context_parallel_size",), 1),
    Option(("--ep_size", "--moe_expert_parallel_size"), ("moe_expert_parallel_size",)),
    Option(("--max_batch_size",), ("max_batch_size",), 2048),
    Option(("--max_num_tokens",), ("max_num_tokens",), 8192),
    Option(("--max_seq_len",), ("max_seq_len",)),
    Option(("--max_beam_width",), ("max_beam_width",), 1),
    Option(("--gpus_per_node",), ("gpus_per_node",)),
    Option(("--moe_backend",), ("moe_config", "backend")),
    Option(
        ("--kv_cache_free_gpu_memory_fraction", "--free_gpu_memory_fraction"),
        ("kv_cache_config", "free_gpu_memory_fraction"),
        0.9,
    ),
    Option(("--reasoning_parser",), ("reasoning_parser",)),
    Option(("--num_postprocess_workers",), ("num_postprocess_workers",), 0),
)
OPTIONS: Mapping[str, Mapping[tuple[str, ...], Option]] = {
    "dynamo.trtllm": {option.setting: option for option in _DYNAMO},
    "trtllm-serve": {option.setting: option for option in _SERVE},
}
"""Command -> engine setting -> the option that sets it where the engine file has no other value."""
FILE_OPTIONS: Mapping[str, Option] = {
    "dynamo.trtllm": _dynamo("extra-engine-args", default=""),
    "trtllm-serve": Option(("--extra_llm_api_options", "--config"), (), ""),
}
"""Command -> the option that names its engine file."""


_PREFILL_AND_DECODE = ("prefill_and_decode", "prefill", "decode", "encode")

COMMANDS: Mapping[str, CommandWords] = {
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
"""Command -> its words."""

TRTLLM_SERVE_ALIKE = ((0, 20), (1, 3))
"""First and last release line between which trtllm-serve writes its options with underscores and listens on
localhost unless told otherwise (serve.py of the middle of 2025 in the fork BatshevaBlack/TensorRT-LLM at
385a1b9, and at 00209af); the list of its options was read from the last one."""
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
