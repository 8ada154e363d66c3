"""Lengths of sequences, sizes of batches and steps, and the CUDA graphs that are captured for them."""

from collections.abc import Iterator, Sequence

from engines import DEFAULT_CUDA_GRAPH_BATCH_SIZE, DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity
from rules.reading.disaggregation import read_role
from rules.reading.engines.command_settings import CommandSettings, is_sglang, is_vllm, read_sglang, read_vllm
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.kv_cache import longest_sequence
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Count, whole_number
from rules.rule import graph_rule, rule
from rules.subjects import (
    CONFIGURED_WORKERS,
    MODEL_WORKERS,
    TENSORRT_LLM_WORKERS,
    ModelWorker,
    TensorRtLlmWorker,
)

_LENGTH_OF_VLLM = "--max-model-len"
_LENGTH_OF_SGLANG = "--context-length"
_STRETCHED_BY = ("--hf-overrides", "--rope-scaling", "--json-model-override-args")
"""Options that give the model other positions than its config.json."""


@rule(
    MODEL_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Beyond that length the model's positions mean nothing, so answers turn into noise; vLLM and SGLang "
        "refuse it unless a variable of theirs allows it."
    ),
    source="max_position_embeddings in config.json of the model; vllm 0.20.1 vllm/config/model.py",
    lines=EVERY_RELEASE,
    fix="Lower max_seq_len, or --max-model-len, or --context-length, to what the finding names.",
)
def sequence_length_within_model(graph: ResourceGraph, of: ModelWorker) -> Iterator[str]:
    """No worker admits longer sequences than its model was made for."""
    length, model = _length(graph, of.worker), of.model
    if length is not None and length.value > model.max_positions:
        yield (
            f"admits sequences of {length.value} tokens ({length.source}), but {model.name} was made for "
            f"{model.max_positions}"
        )


def _length(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_tensorrt_llm(worker):
        return read_tensorrt_llm(graph, worker).given_count("max_seq_len")
    if is_vllm(worker):
        return _unstretched(read_vllm(graph, worker), _LENGTH_OF_VLLM)
    if is_sglang(worker):
        return _unstretched(read_sglang(graph, worker), _LENGTH_OF_SGLANG)
    return None


def _unstretched(settings: CommandSettings, flag: str) -> Count | None:
    if any(settings.at(option) is not None for option in _STRETCHED_BY):
        return None
    given = settings.at(flag)
    # vLLM also takes 128k and auto, neither of which says too much.
    return settings.count(flag, 0) if given is not None and str(given.value).isdigit() else None


_STEP_OF_VLLM = "--max-num-batched-tokens"


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Without chunked prefill a prompt has to fit in one step of the engine; a longer one is refused, "
        "though clients are told of max_seq_len alone, or where it is not set of the model's own length."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (enable_chunked_prefill, max_num_tokens); PyPI "
        "package ai-dynamo 1.2.1, dynamo/trtllm/workers/llm_worker.py (context_length); vllm 0.23.0 "
        "vllm/config/scheduler.py (verify_max_model_len)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "Dynamo 1.2"),
    fix="Set enable_chunked_prefill: true, raise max_num_tokens, or write a lower max_seq_len.",
)
def prompt_fits_a_step(graph: ResourceGraph) -> Iterator[Observation]:
    """A worker that prefills takes prompts as long as its sequences."""
    yield from TENSORRT_LLM_WORKERS.judge(graph, _step_of_tensorrt_llm)
    yield from CONFIGURED_WORKERS.judge(graph, _step_of_vllm)


def _step_of_tensorrt_llm(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    worker, settings = engine.worker, engine.settings
    if read_role(worker) == "decode" or settings.switch("enable_chunked_prefill"):
        return
    sequence = longest_sequence(settings, read_gpt_oss(worker))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if sequence.value > step.value:
        yield (
            f"refuses prompts of more than max_num_tokens {step.value} ({step.source}) tokens, although it "
            f"promises {sequence.value} ({sequence.source}): enable_chunked_prefill is off"
        )


def _step_of_vllm(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    given = [settings.at(option) for option in (_STEP_OF_VLLM, _LENGTH_OF_VLLM)]
    if settings.switch("--enable-chunked-prefill") is not False or not all(
        each is not None and str(each.value).isdigit() for each in given
    ):
        return
    step, length = settings.count(_STEP_OF_VLLM, 0), settings.count(_LENGTH_OF_VLLM, 0)
    if length.value > step.value:
        yield (
            f"{_STEP_OF_VLLM} {step.value} is less than {_LENGTH_OF_VLLM} {length.value}, and chunked "
            "prefill is off: vLLM ends at start"
        )


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason="Every running sequence needs a token of each step: the engine warns, and batches stay smaller.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (max_batch_size against max_num_tokens)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_num_tokens, or lower max_batch_size to it.",
)
def batch_fits_a_step(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """The largest batch fits in a step of the engine."""
    batch = engine.settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    step = engine.settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if batch.value > step.value:
        yield (
            f"max_batch_size {batch.value} ({batch.source}) exceeds max_num_tokens {step.value} "
            f"({step.source}), so that no step can hold such a batch"
        )


_GRAPHS = "cuda_graph_config"


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason="The engine refuses two different answers with a ValueError, and the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CudaGraphConfig)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Leave cuda_graph_config.max_batch_size out, or make it the largest of batch_sizes.",
)
def cuda_graph_sizes_agree(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """The largest CUDA graph is said once, or twice alike."""
    largest = engine.settings.count(_GRAPHS, "max_batch_size", default=0)
    written = _largest_of_sizes(engine.settings) if largest.value else None
    if written is not None and written.value != largest.value:
        yield (
            f"{_GRAPHS}.max_batch_size {largest.value} ({largest.source}) is not the largest of batch_sizes, "
            f"{written.value} ({written.source})"
        )


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
def cuda_graphs_cover_batches(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """CUDA graphs are captured for the batches that run."""
    settings = engine.settings
    # A step with prompts in it never replays a graph, and a prefill worker has no others.
    if read_role(engine.worker) == "prefill":
        return
    written = {key for _, mapping in settings.written() for key in mapping}
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    # An explicit null turns graphs off; and of two defaults nobody chose either.
    if settings.at(_GRAPHS) is None and (_GRAPHS in written or batch.source.startswith("the ")):
        return
    largest = _largest_graph(settings)
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    limit = min(batch, step, key=lambda count: count.value)
    if largest.value > limit.value:
        yield (
            f"asks for CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches end at "
            f"{limit.value} ({limit.source}): the larger graphs are left out"
        )
    elif largest.value < limit.value:
        yield (
            f"has CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches reach "
            f"{limit.value} ({limit.source}): the larger ones run without a graph"
        )


def _largest_graph(settings: TensorRtLlmSettings) -> Count:
    written = _largest_of_sizes(settings)
    if written is not None:
        return written
    count = settings.count(_GRAPHS, "max_batch_size", default=DEFAULT_CUDA_GRAPH_BATCH_SIZE)
    return count if count.value else Count(DEFAULT_CUDA_GRAPH_BATCH_SIZE, "the engine's default")


def _largest_of_sizes(settings: TensorRtLlmSettings) -> Count | None:
    sizes = settings.at(_GRAPHS, "batch_sizes")
    if sizes is None or not isinstance(sizes.value, Sequence) or not sizes.value:
        return None
    values: Sequence[Value] = sizes.value
    largest = max(whole_number(size, f"{_GRAPHS}.batch_sizes in {sizes.source}") for size in values)
    return Count(largest, sizes.source)
