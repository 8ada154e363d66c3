"""The format of the KV cache, and whether it fits beside the model."""

from collections.abc import Iterator

from engines.quantization import fp8_kv_cache_is_tested
from engines.tensorrt_llm.kernels import TENSORRT_LLM_KV_DTYPES
from engines.vllm.kernels import VLLM_KV_DTYPE_FAMILY, VLLM_KV_DTYPE_LINES, VLLM_KV_DTYPES
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.engines.memory import memory_on_each_gpu, read_memory_plan
from rules.reading.engines.models import read_checkpoint
from rules.reading.engines.settings import is_vllm
from rules.reading.kv_cache import KvFormat, read_kv_format
from rules.reading.placements import read_landing
from rules.reading.pods.containers import read_image
from rules.reading.pods.workers import Worker
from rules.reading.releases import TENSORRT_LLM_LINES, VLLM_0_20, VLLM_IMAGE, as_read
from rules.rule import Advice, Said, rule
from rules.subjects import CONFIGURED_WORKERS, WORKERS

_FP8 = "fp8"
_OF_OTHERS = frozenset({"int8", "int4", "fp16", "fp32", "float32", "fp4", "e4m3", "e5m2", "q8_0", "q4_0"})
"""Formats of other engines and tools."""


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM ends with a ValueError once it has loaded the configuration, bfloat16 included, which "
        "it calls auto; vLLM refuses the command line. Every accuracy test of gpt-oss with an fp8 cache is "
        "skipped before Blackwell: it is not shown to fail there, and nobody vouches for its answers "
        "(advice)."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py "
        "(validate_and_set_kv_cache_quant), tests/integration/defs/accuracy/test_llm_api_pytorch.py at "
        "000b1b9 (TestGPTOSS); vllm 0.20.1 vllm/config/cache.py, and of 0.10.2 "
        "to 0.33.0 (formats that no release has)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.10 to 0.33"),
    fix=("Write auto or fp8, in small letters; on Hopper auto, or measure the quality of its answers first."),
)
def kv_cache_dtype_known(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """KV cache format is not one that the engine takes."""
    found = read_kv_format(graph, worker)
    if found is None:
        return
    if not _is_known(found, worker):
        known = VLLM_KV_DTYPES if is_vllm(worker) else TENSORRT_LLM_KV_DTYPES
        message = f"the KV cache is to be {found}, and its engine takes {', '.join(sorted(known))}"
        if _is_of_no_release(found, worker):
            yield f"the KV cache is to be {found}, which no vLLM takes: auto, or fp8 for 8 bits"
            return
        yield from as_read(worker, [message], VLLM_0_20 if is_vllm(worker) else TENSORRT_LLM_LINES)
    elif found.text == _FP8 and not is_vllm(worker) and read_checkpoint(graph, worker).mxfp4 is not None:
        landing = read_landing(graph, worker)
        for gpu in landing.accelerators:
            if not fp8_kv_cache_is_tested(gpu):
                yield Advice(
                    f"keeps its KV cache in {found} on {gpu.name} ({gpu.architecture_family}, "
                    f"{landing.source}); NVIDIA tests gpt-oss with it on Blackwell alone"
                )


def _is_of_no_release(found: KvFormat, worker: Worker) -> bool:
    """Whether vLLM's own image is of a release that was read, and none of those has such a format."""
    image = read_image(worker.container)
    of_vllm = image is not None and image.name == VLLM_IMAGE and image.line in VLLM_KV_DTYPE_LINES
    return of_vllm and is_vllm(worker) and found.text in _OF_OTHERS


def _is_known(found: KvFormat, worker: Worker) -> bool:
    if is_vllm(worker):
        return found.text in VLLM_KV_DTYPES or found.text.startswith(VLLM_KV_DTYPE_FAMILY)
    return found.text in TENSORRT_LLM_KV_DTYPES


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Where nothing is left for the KV cache, the engine ends at start. Where it holds less than one "
        "sequence, vLLM ends too, and TensorRT-LLM shortens what it accepts with a line in the log. Where it "
        "holds less than the engine runs at once, requests wait although a place in the batch is free. "
        "TensorRT-LLM takes the buffers of the transfer last, and ends out of memory without room for them. "
        "The numbers are an estimate."
    ),
    source=(
        "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a; "
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (GUARANTEED_NO_EVICT), "
        "cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad, NVIDIA/TensorRT-LLM#11082, "
        "NVIDIA/TensorRT-LLM#12276; mlcommons/inference#2501, vllm-project/vllm#33155"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Use more GPUs or larger ones, kv_cache_config.dtype fp8 (--kv-cache-dtype fp8), a shorter "
        "max_seq_len (--max-model-len), fewer tokens in one step (max_num_tokens, --max-num-batched-tokens) "
        "or fewer sequences (max_batch_size, --max-num-seqs). For the buffers: "
        "cache_transceiver_config.max_tokens_in_buffer of the longest prompt, or a lower "
        "kv_cache_config.free_gpu_memory_fraction."
    ),
)
def kv_cache_fits(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """GPU memory is too small for the KV cache."""
    plan = read_memory_plan(graph, worker)
    if plan is None:
        return
    one = plan.sequence_gib(plan.max_seq_len)
    # The model's own limit of length says nothing about how long sequences are.
    at_once = plan.max_batch_size if plan.max_seq_len < plan.model.max_positions else None
    for memory in memory_on_each_gpu(graph, worker):
        words = plan.pool_words(memory)
        if memory.pool < one:
            yield (
                f"{words}, and one sequence of {plan.max_seq_len:,} tokens ({plan.max_seq_len_source}) takes "
                f"{one:.1f} GiB"
            )
        elif at_once is not None and memory.pool < at_once * one:
            yield (
                f"{words}; {plan.batch_words} of {plan.length_words} take {at_once * one:.1f} GiB, so "
                f"{int(memory.pool / one):,} run at once"
            )
        if memory.pool >= 0 and memory.rest < plan.buffers_gib:
            yield (
                f"{words} and {memory.rest:.1f} GiB beside it; a buffer to send and one to receive of "
                f"{plan.buffer_tokens:,} tokens each take {plan.buffers_gib:.1f} GiB"
            )
