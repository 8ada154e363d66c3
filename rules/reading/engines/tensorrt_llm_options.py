"""Command-line options of the two programs that start TensorRT-LLM, and the engine settings behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from resource_graph import Value
from rules.reading.commands.start_script import TENSORRT_LLM, TRTLLM_SERVE


@dataclass(frozen=True, slots=True)
class Option:
    """One option and what it sets."""

    flags: tuple[str, ...]
    """Its names; the last one given on a command line wins."""
    setting: tuple[str, ...]
    """The engine setting as a path; empty where it is no engine setting."""
    default: Value
    variable: str | None = None
    """Environment variable that acts where no flag does."""
    is_switch: bool = False


def _dynamo(name: str, setting: tuple[str, ...], default: Value, *, is_switch: bool = False) -> Option:
    variable = f"DYN_TRTLLM_{name.replace('-', '_').upper()}"
    return Option((f"--{name}",), setting, default, variable, is_switch)


EXTRA_ENGINE_ARGS = _dynamo("extra-engine-args", (), "")
OVERRIDE_ENGINE_ARGS = _dynamo("override-engine-args", (), "")
EXTRA_LLM_API_OPTIONS = Option(("--extra_llm_api_options", "--config"), (), "")

# ai-dynamo 1.2.1 dynamo/trtllm/backend_args.py. --kv-block-size is no engine setting: it tells the router how
# large the engine's blocks are.
_DYNAMO: tuple[Option, ...] = (
    _dynamo("tensor-parallel-size", ("tensor_parallel_size",), 1),
    _dynamo("pipeline-parallel-size", ("pipeline_parallel_size",), 1),
    _dynamo("expert-parallel-size", ("moe_expert_parallel_size",), None),
    _dynamo("enable-attention-dp", ("enable_attention_dp",), default=False, is_switch=True),
    _dynamo("gpus-per-node", ("gpus_per_node",), None),
    _dynamo("max-batch-size", ("max_batch_size",), 2048),
    _dynamo("max-num-tokens", ("max_num_tokens",), 8192),
    _dynamo("max-seq-len", ("max_seq_len",), None),
    _dynamo("max-beam-width", ("max_beam_width",), 1),
    _dynamo("free-gpu-memory-fraction", ("kv_cache_config", "free_gpu_memory_fraction"), 0.9),
    _dynamo("load-format", ("load_format",), None),
    _dynamo("guided-decoding-backend", ("guided_decoding_backend",), None),
)

# NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 1.3.0rc14; --moe_backend is of older releases.
_SERVE: tuple[Option, ...] = (
    Option(("--tp_size", "--tensor_parallel_size"), ("tensor_parallel_size",), 1),
    Option(("--pp_size", "--pipeline_parallel_size"), ("pipeline_parallel_size",), 1),
    Option(("--cp_size", "--context_parallel_size"), ("context_parallel_size",), 1),
    Option(("--ep_size", "--moe_expert_parallel_size"), ("moe_expert_parallel_size",), None),
    Option(("--max_batch_size",), ("max_batch_size",), 2048),
    Option(("--max_num_tokens",), ("max_num_tokens",), 8192),
    Option(("--max_seq_len",), ("max_seq_len",), None),
    Option(("--max_beam_width",), ("max_beam_width",), 1),
    Option(("--gpus_per_node",), ("gpus_per_node",), None),
    Option(("--moe_backend",), ("moe_config", "backend"), None),
    Option(
        ("--kv_cache_free_gpu_memory_fraction", "--free_gpu_memory_fraction"),
        ("kv_cache_config", "free_gpu_memory_fraction"),
        0.9,
    ),
    Option(("--reasoning_parser",), ("reasoning_parser",), None),
    Option(("--num_postprocess_workers",), ("num_postprocess_workers",), 0),
)

OPTIONS: Mapping[str, Mapping[tuple[str, ...], Option]] = MappingProxyType(
    {
        TENSORRT_LLM: MappingProxyType({option.setting: option for option in _DYNAMO}),
        TRTLLM_SERVE: MappingProxyType({option.setting: option for option in _SERVE}),
    }
)
"""Program -> engine setting -> the option that sets it."""

FILE_OPTIONS: Mapping[str, Option] = MappingProxyType(
    {TENSORRT_LLM: EXTRA_ENGINE_ARGS, TRTLLM_SERVE: EXTRA_LLM_API_OPTIONS}
)
"""Program -> the option that names its engine file."""
