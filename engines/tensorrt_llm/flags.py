"""Options of TensorRT-LLM's two commands that are engine options under another name.

`python3 -m dynamo.trtllm`: dynamo/trtllm/backend_args.py of the PyPI package ai-dynamo 1.2.1. --kv-block-size
is none of them: it tells the router how large the engine's blocks are. `trtllm-serve`:
NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 1.3.0rc14; --moe_backend is of older releases.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_Default = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command line, and the engine setting behind it."""

    flags: tuple[str, ...]
    """Names of the option; the last one given on a command line wins."""
    setting: tuple[str, ...]
    """Path of the engine setting; empty where the option is no engine setting."""
    default: _Default
    """Of the flag; None: the engine's own default holds."""
    variable: str | None = None
    """Environment variable that acts where no flag does; None without one."""
    is_switch: bool = False


def _dynamo(name: str, *setting: str, default: _Default = None) -> Option:
    variable = f"DYN_TRTLLM_{name.replace('-', '_').upper()}"
    return Option((f"--{name}",), setting, default, variable, isinstance(default, bool))


def _serve(*flags: str, setting: tuple[str, ...], default: _Default = None) -> Option:
    return Option(flags, setting, default)


EXTRA_ENGINE_ARGS = _dynamo("extra-engine-args", default="")
OVERRIDE_ENGINE_ARGS = _dynamo("override-engine-args", default="")
EXTRA_LLM_API_OPTIONS = _serve("--extra_llm_api_options", "--config", setting=(), default="")
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
    _serve("--tp_size", "--tensor_parallel_size", setting=("tensor_parallel_size",), default=1),
    _serve("--pp_size", "--pipeline_parallel_size", setting=("pipeline_parallel_size",), default=1),
    _serve("--cp_size", "--context_parallel_size", setting=("context_parallel_size",), default=1),
    _serve("--ep_size", "--moe_expert_parallel_size", setting=("moe_expert_parallel_size",)),
    _serve("--max_batch_size", setting=("max_batch_size",), default=2048),
    _serve("--max_num_tokens", setting=("max_num_tokens",), default=8192),
    _serve("--max_seq_len", setting=("max_seq_len",)),
    _serve("--max_beam_width", setting=("max_beam_width",), default=1),
    _serve("--gpus_per_node", setting=("gpus_per_node",)),
    _serve("--moe_backend", setting=("moe_config", "backend")),
    _serve(
        "--kv_cache_free_gpu_memory_fraction",
        "--free_gpu_memory_fraction",
        setting=("kv_cache_config", "free_gpu_memory_fraction"),
        default=0.9,
    ),
    _serve("--reasoning_parser", setting=("reasoning_parser",)),
    _serve("--num_postprocess_workers", setting=("num_postprocess_workers",), default=0),
)
OPTIONS: Mapping[str, Mapping[tuple[str, ...], Option]] = MappingProxyType(
    {
        "dynamo.trtllm": MappingProxyType({option.setting: option for option in _DYNAMO}),
        "trtllm-serve": MappingProxyType({option.setting: option for option in _SERVE}),
    }
)
"""Command -> engine setting -> the option that sets it where the engine file has no other value."""
FILE_OPTIONS: Mapping[str, Option] = MappingProxyType(
    {"dynamo.trtllm": EXTRA_ENGINE_ARGS, "trtllm-serve": EXTRA_LLM_API_OPTIONS}
)
"""Command -> the option that names its engine file."""
