"""Lengths of sequences, sizes of batches and steps, and the CUDA graphs that are captured for them."""

from collections.abc import Iterator
from typing import cast

from engines.effective import Effective, flag_of
from engines.tensorrt_llm.keys import (
    DEFAULT_CUDA_GRAPH_BATCH_SIZE,
    DEFAULT_MAX_BATCH_SIZE,
    DEFAULT_MAX_NUM_TOKENS,
)
from engines.written_values import Count
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.disaggregation import read_role
from rules.reading.engines.models import read_gpt_oss, read_model_limits
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_cache import longest_sequence
from rules.reading.pods.workers import Worker
from rules.reading.shapes import whole_number
from rules.rule import rule
from rules.subjects import CONFIGURED_WORKERS, TENSORRT_LLM_WORKERS

_LENGTH_OF_VLLM = "max_model_len"
_STRETCHED_BY = ("hf_overrides", "rope_scaling")
"""Options that give the model other positions than its config.json."""
_STEP_OF_VLLM = "max_num_batched_tokens"


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Beyond its length the model's positions mean nothing, so answers turn into noise, and vLLM refuses "
        "to start. Without chunked prefill a prompt has to fit in one step of the engine; a longer one is "
        "refused, though clients are told of max_seq_len or the model's own length."
    ),
    source=(
        "max_position_embeddings in config.json of the model; vllm 0.20.1 vllm/config/model.py, "
        "vllm/config/scheduler.py (verify_max_model_len); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py (enable_chunked_prefill, max_num_tokens); PyPI package ai-dynamo "
        "1.2.1, dynamo/trtllm/workers/llm_worker.py (context_length)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1 and 0.23.0"),
    fix=("Lower max_seq_len, or --max-model-len; set enable_chunked_prefill: true, or raise max_num_tokens."),
)
def sequence_length_within_model(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Sequences are longer than the model was made for, or prompts than a step."""
    if is_tensorrt_llm(worker):
        settings = read_settings(graph, worker)
        yield from _beyond_the_model(graph, worker, settings.given_count("max_seq_len"))
        yield from _beyond_a_step(worker, settings)
    elif is_vllm(worker):
        of_vllm = read_settings(graph, worker)
        is_stretched = any(of_vllm.at(option) is not None for option in _STRETCHED_BY)
        length = None if is_stretched else _plain_count(of_vllm, _LENGTH_OF_VLLM)
        yield from _beyond_the_model(graph, worker, length)
        yield from _beyond_a_step_of_vllm(of_vllm)


def _beyond_the_model(graph: ResourceGraph, worker: Worker, length: Count | None) -> Iterator[str]:
    model = None if length is None else read_model_limits(graph, worker)
    if length is not None and model is not None and length.value > model.max_positions:
        yield (
            f"admits sequences of {length.value} tokens ({length.source}), but {model.name} was made for "
            f"{model.max_positions}"
        )


def _beyond_a_step(worker: Worker, settings: Effective) -> Iterator[str]:
    if read_role(worker) == "decode" or settings.switch("enable_chunked_prefill"):
        return
    sequence = longest_sequence(settings, read_gpt_oss(worker))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if sequence.value > step.value:
        yield (
            f"refuses prompts of more than max_num_tokens {step.value} ({step.source}) tokens, although it "
            f"promises {sequence.value} ({sequence.source}): enable_chunked_prefill is off"
        )


def _plain_count(settings: Effective, name: str) -> Count | None:
    given = settings.at(name)
    # vLLM also takes 128k and auto, neither of which says too much.
    return settings.count(name, default=0) if given is not None and str(given.value).isdigit() else None


def _beyond_a_step_of_vllm(settings: Effective) -> Iterator[str]:
    if settings.switch("enable_chunked_prefill", default=True):
        return
    step, length = _plain_count(settings, _STEP_OF_VLLM), _plain_count(settings, _LENGTH_OF_VLLM)
    if step is not None and length is not None and length.value > step.value:
        yield (
            f"{flag_of(_STEP_OF_VLLM)} {step.value} is less than {flag_of(_LENGTH_OF_VLLM)} {length.value}, "
            "and chunked prefill is off: vLLM ends at start"
        )


_GRAPHS = "cuda_graph_config"


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Steps of a batch that has no graph launch every kernel one by one and are slower; graphs above the "
        "largest batch are left out without a word. Prefill workers are left alone: only steps without "
        "prompts run as a graph."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CudaGraphConfig, max_batch_size) and "
        "tensorrt_llm/_torch/pyexecutor/scheduler.py (ScheduledRequests.can_run_cuda_graph)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set cuda_graph_config.max_batch_size to max_batch_size.",
)
def cuda_graphs_cover_batches(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """CUDA graphs end below the largest batch, or above it."""
    settings = read_settings(graph, worker)
    # A step with prompts in it never replays a graph, and a prefill worker has no others.
    if read_role(worker) == "prefill":
        return
    written = {*settings.file.content, *settings.overrides.content}
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    # An explicit null turns graphs off; and of two defaults nobody chose either.
    if settings.at(_GRAPHS) is None and (_GRAPHS in written or batch.source.startswith("the ")):
        return
    largest = _largest_graph(settings)
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    limit = min(batch, step, key=lambda count: count.value)
    if largest.value < limit.value:
        yield (
            f"has CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches reach "
            f"{limit.value} ({limit.source}): the larger ones run without a graph"
        )


def _largest_graph(settings: Effective) -> Count:
    sizes = settings.at(_GRAPHS, "batch_sizes")
    values = cast("list[object]", sizes.value) if sizes and isinstance(sizes.value, list) else []
    if sizes is not None and values:
        largest = max(whole_number(size, f"{_GRAPHS}.batch_sizes in {sizes.source}") for size in values)
        return Count(largest, sizes.source)
    count = settings.count(_GRAPHS, "max_batch_size", default=DEFAULT_CUDA_GRAPH_BATCH_SIZE)
    return count if count.value else Count(DEFAULT_CUDA_GRAPH_BATCH_SIZE, "the engine's default")
