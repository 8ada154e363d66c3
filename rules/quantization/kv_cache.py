"""The format of the KV cache, and whether it fits beside the model."""

from collections.abc import Iterator

from engines import TENSORRT_LLM_KV_DTYPES, VLLM_KV_DTYPE_FAMILY, VLLM_KV_DTYPES, fp8_kv_cache_is_tested
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.disaggregation import Disaggregated
from rules.reading.engines.command_settings import is_sglang, is_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.memory import memory_on_each_gpu, read_memory_plan
from rules.reading.engines.models import read_checkpoint
from rules.reading.kv_cache import KvFormat, effective_format, read_kv_format
from rules.reading.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.releases import TENSORRT_LLM_LINES, VLLM_0_20, as_read
from rules.reading.shapes import grouped
from rules.rule import Said, rule
from rules.subjects import DISAGGREGATED, TENSORRT_LLM_WORKERS, WORKERS, TensorRtLlmWorker

_FP8 = "fp8"


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason="The cache travels as bytes. Of another format, decode cannot take them or reads them wrongly.",
    source="NVIDIA/TensorRT-LLM docs/source/features/disagg-serving.md at 0434b98",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set kv_cache_config.dtype (TensorRT-LLM) or --kv-cache-dtype (vLLM, SGLang) to one value on both.",
)
def same_kv_cache_dtype(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode keep the KV cache in one format."""
    formats = [
        (worker, found) for worker in group.workers if (found := read_kv_format(graph, worker)) is not None
    ]
    if len({found.text for _, found in formats}) <= 1:
        return
    names = grouped(
        (effective_format(graph, worker, found), f"{worker.name}: {found}") for worker, found in formats
    )
    if len(names) > 1:
        shown = "; ".join(f"{name} in {', '.join(users)}" for name, users in names.items())
        yield f"the KV cache differs: {shown}"


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM ends with a ValueError once it has loaded the configuration, bfloat16 included, which "
        "it calls auto; vLLM refuses the command line."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py "
        "(validate_and_set_kv_cache_quant); vllm 0.20.1 vllm/config/cache.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix="Write auto or fp8, in small letters.",
)
def kv_cache_dtype_known(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """The KV cache has a format that its engine knows."""
    try:
        found = read_kv_format(graph, worker)
    except EngineFileProblem:
        return
    # The options of SGLang are judged by the values that each release takes.
    if found is None or is_sglang(worker) or _is_known(found, worker):
        return
    known = VLLM_KV_DTYPES if is_vllm(worker) else TENSORRT_LLM_KV_DTYPES
    message = f"the KV cache is to be {found}, and its engine takes {', '.join(sorted(known))}"
    read = VLLM_0_20 if is_vllm(worker) else TENSORRT_LLM_LINES
    yield from as_read(worker, [message], read)


def _is_known(found: KvFormat, worker: Worker) -> bool:
    if is_vllm(worker):
        return found.text in VLLM_KV_DTYPES or found.text.startswith(VLLM_KV_DTYPE_FAMILY)
    return found.text in TENSORRT_LLM_KV_DTYPES


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Every accuracy test of gpt-oss with an fp8 cache is skipped before Blackwell. It is not shown to "
        "fail there, and nobody vouches for its answers."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="On Hopper set kv_cache_config.dtype to auto, or measure the quality of its answers first.",
)
def fp8_kv_cache_tested(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """TensorRT-LLM keeps gpt-oss's KV cache in 8 bits only on Blackwell."""
    found = read_kv_format(graph, engine.worker)
    if found is None or found.text != _FP8 or read_checkpoint(graph, engine.worker).mxfp4 is None:
        return
    landing = read_landing(graph, engine.worker)
    for gpu in landing.accelerators:
        if not fp8_kv_cache_is_tested(gpu):
            yield (
                f"keeps its KV cache in {found} on {gpu.name} ({gpu.architecture_family}, {landing.source}); "
                "NVIDIA tests gpt-oss with it on Blackwell alone"
            )


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Where nothing is left for the KV cache, the engine ends at start. Where it holds less than one "
        "sequence, vLLM ends too, and TensorRT-LLM shortens what it accepts with a line in the log. The "
        "numbers are an estimate."
    ),
    source=(
        "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a; "
        "mlcommons/inference#2501, vllm-project/vllm#33155"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Use more GPUs or larger ones, kv_cache_config.dtype fp8 (--kv-cache-dtype fp8), a shorter "
        "max_seq_len (--max-model-len), or fewer tokens in one step (max_num_tokens, "
        "--max-num-batched-tokens)."
    ),
)
def one_sequence_fits(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A sequence of full length fits beside gpt-oss on the worker's GPU."""
    plan = read_memory_plan(graph, worker)
    if plan is None:
        return
    for memory in memory_on_each_gpu(graph, worker):
        needed = plan.sequence_gib(plan.max_seq_len)
        if memory.pool < needed:
            yield (
                f"{plan.pool_words(memory)}, and one sequence of {plan.max_seq_len:,} tokens "
                f"({plan.max_seq_len_source}) takes {needed:.1f} GiB"
            )


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The engine starts and serves, but requests wait although a place in the batch is free; a "
        "measurement of the time to the first token is then one of the queue. The numbers are an estimate."
    ),
    source=(
        "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a; "
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (GUARANTEED_NO_EVICT)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Lower max_batch_size (--max-num-seqs) or max_seq_len (--max-model-len) to what is served, or give "
        "the cache more: an 8-bit format, more GPUs, larger ones."
    ),
)
def full_concurrency_fits(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """The KV cache holds as many full sequences as the engine runs at once."""
    plan = read_memory_plan(graph, worker)
    # The model's own limit of length says nothing about how long sequences are.
    if plan is None or plan.max_batch_size is None or plan.max_seq_len >= plan.model.max_positions:
        return
    for memory in memory_on_each_gpu(graph, worker):
        one = plan.sequence_gib(plan.max_seq_len)
        needed = plan.max_batch_size * one
        if one <= memory.pool < needed:
            yield (
                f"{plan.pool_words(memory)}; {plan.batch_words} of {plan.length_words} take "
                f"{needed:.1f} GiB, so {int(memory.pool / one):,} run at once"
            )


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "The buffers are taken last, outside the share of the KV cache; without room the worker ends out of "
        "memory once everything else is loaded. The numbers are an estimate."
    ),
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad; "
        "NVIDIA/TensorRT-LLM#11082, NVIDIA/TensorRT-LLM#12276"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Set cache_transceiver_config.max_tokens_in_buffer to the longest prompt, or lower "
        "kv_cache_config.free_gpu_memory_fraction."
    ),
)
def transfer_buffers_fit(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """What the KV cache leaves of a GPU holds the buffers that carry it."""
    # Without a backend nothing is transferred, and nothing of the worker needs to be known.
    if engine.settings.at("cache_transceiver_config", "backend") is None:
        return
    plan = read_memory_plan(graph, engine.worker)
    if plan is None:
        return
    for memory in memory_on_each_gpu(graph, engine.worker):
        needed = plan.buffers_gib
        if memory.pool >= 0 and memory.rest < needed:
            yield (
                f"{plan.pool_words(memory)} and {memory.rest:.1f} GiB beside it; a buffer to send and one to "
                f"receive of {plan.buffer_tokens:,} tokens each take {needed:.1f} GiB"
            )
