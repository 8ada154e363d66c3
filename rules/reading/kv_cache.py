"""A worker's KV cache: its format, its buffers, the library that moves it, and the cost of the transfer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from engines.effective import Effective
from engines.models import ModelShape
from engines.quantization import KV_VALUE_BYTES
from engines.tensorrt_llm.blocks import TransceiverBackend
from engines.tensorrt_llm.keys import DEFAULT_MAX_NUM_TOKENS, DEFAULT_TOKENS_PER_BLOCK
from engines.written_values import Count, Setting
from hardware import TCP_FLOW_GBIT, TCP_GBIT, requests_per_second, transfer_seconds
from resource_graph import ResourceGraph
from rules.reading.engines.models import read_checkpoint, read_gpt_oss
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

AUTO = "auto"
_SAME_FORMAT = {"fp8_e4m3": "fp8", "bf16": "bfloat16"}
"""Name of a format -> another name of the same format."""
_ATTENTION_OF_GPT_OSS = "bfloat16"
_TRANSCEIVER = "cache_transceiver_config"
TRANSCEIVER_BACKENDS: tuple[str, ...] = get_args(TransceiverBackend)
TRANSCEIVER_SETTING = "cache_transceiver_config.backend"
NIXL_PLUGIN = "TRTLLM_NIXL_KVCACHE_BACKEND"
"""Variable that chooses NIXL's plugin: UCX, the default, or LIBFABRIC."""
# DEFAULT takes the first of these that is 1, else NIXL (cpp/tensorrt_llm/batch_manager/cacheTransceiver.cpp).
_CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "TRTLLM_USE_NIXL_KVCACHE": "NIXL",
        "TRTLLM_USE_UCX_KVCACHE": "UCX",
        "TRTLLM_USE_MOONCAKE_KVCACHE": "MOONCAKE",
        "TRTLLM_USE_MPI_KVCACHE": "MPI",
    }
)
PROMPT_TOKENS = 8_192
"""Tokens of a prompt in the benchmark of NVIDIA's disaggregated recipe for gpt-oss-120b."""


def read_kv_format(graph: ResourceGraph, worker: Worker) -> Setting | None:
    """The format that the worker is told to use; None for a worker of another engine."""
    if is_tensorrt_llm(worker):
        return read_settings(graph, worker).text("kv_cache_config", "dtype", default=AUTO)
    return read_settings(graph, worker).text("kv_cache_dtype", default=AUTO) if is_vllm(worker) else None


def effective_format(graph: ResourceGraph, worker: Worker, kv_format: Setting) -> str:
    """What the cache really holds, by one name for each format."""
    if kv_format.value != AUTO:
        return _SAME_FORMAT.get(kv_format.value) or str(kv_format.value)
    if read_checkpoint(graph, worker).mxfp4 is None:
        raise Undecided("its checkpoint decides the format of the KV cache")
    return _ATTENTION_OF_GPT_OSS


def transceiver_backend(settings: Effective) -> Setting | None:
    """The backend that is to move the cache; None without the setting, which switches the transfer off."""
    return settings.at(_TRANSCEIVER, "backend")


def transfer_buffer(settings: Effective) -> Count | None:
    """Tokens that a transfer buffer holds; None where the engine sizes the buffer by max_seq_len."""
    return settings.given_count(_TRANSCEIVER, "max_tokens_in_buffer")


def tokens_per_block(settings: Effective) -> Count:
    """Tokens of one block of the KV cache."""
    return settings.count("kv_cache_config", "tokens_per_block", default=DEFAULT_TOKENS_PER_BLOCK)


def longest_sequence(settings: Effective, model: ModelShape | None) -> Count:
    """Tokens of prompt and answer together that the engine admits."""
    given = settings.given_count("max_seq_len")
    if given is not None:
        return given
    if model is None:
        raise Undecided("max_seq_len is not set, and nothing here says how long the model's sequences are")
    return Count(model.max_positions, f"the length that {model.name} was made for")


def longest_prompt(settings: Effective, model: ModelShape | None) -> Count:
    """Tokens of the longest prompt that the engine admits.

    It leaves room for one token of an answer. Without chunked prefill it has to fit in one step.
    """
    if settings.switch("enable_chunked_prefill"):
        return _before_an_answer(longest_sequence(settings, model))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if settings.at("max_seq_len") is None and model is None:
        return step
    prompt = _before_an_answer(longest_sequence(settings, model))
    return min(prompt, step, key=lambda count: count.value)


def effective_backend(graph: ResourceGraph, worker: Worker) -> str | None:
    """The library that moves the cache; None without a backend, or for an unknown value."""
    written = transceiver_backend(read_settings(graph, worker))
    if written is None or written.value not in TRANSCEIVER_BACKENDS:
        return None
    if written.value != "DEFAULT":
        return str(written.value)
    return next((backend for name, backend in _CHOICES.items() if worker.variable(name) == "1"), "NIXL")


def cost_over_tcp(graph: ResourceGraph, worker: Worker) -> str:
    """Bytes of one prompt's KV cache, their time on the wire and the ceiling, for a message."""
    try:
        model = _known_model(worker)
        kv_format = _known_format(graph, worker)
    except Undecided as reason:
        return f"how many bytes that are is not known: {reason}"
    payload = round(model.kv_bytes_per_token(1) * KV_VALUE_BYTES[kv_format] * PROMPT_TOKENS)
    return (
        f"a prompt of {PROMPT_TOKENS:,} tokens is {payload:,} bytes of KV cache ({model.name}, {kv_format}): "
        f"{transfer_seconds(payload, TCP_GBIT):.3f} s between machines on a pod network of "
        f"{TCP_GBIT:.0f} Gbit/s, so at most {requests_per_second(payload, TCP_GBIT):.1f} prompts a second, "
        f"{requests_per_second(payload, TCP_FLOW_GBIT):.1f} over one TCP flow of {TCP_FLOW_GBIT:.0f} Gbit/s "
        "(computed, not measured)"
    )


def _before_an_answer(sequence: Count) -> Count:
    return Count(sequence.value - 1, f"{sequence.source}, less one token of an answer")


def _known_model(worker: Worker) -> ModelShape:
    model = read_gpt_oss(worker)
    if model is None:
        raise Undecided(f"{worker.name} names no model whose layers are known here")
    return model


def _known_format(graph: ResourceGraph, worker: Worker) -> str:
    kv_format = read_kv_format(graph, worker)
    name = "unknown" if kv_format is None else effective_format(graph, worker, kv_format)
    if name not in KV_VALUE_BYTES:
        raise Undecided(f"nothing here says how large KV cache of format {name} is")
    return name
