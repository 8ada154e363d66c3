"""Number formats, the kernels that run them, the GPUs that have these, and memory for the KV cache."""

from collections.abc import Iterable, Iterator

from engines.command_line import Setting, Undecided, variable_in
from engines.models import MXFP4_ALGORITHMS, fp8_kv_cache_is_tested
from engines.tensorrt_llm.kernels import TENSORRT_LLM_KV_DTYPES
from engines.tensorrt_llm.keys import TENSORRT_LLM_LINES
from engines.vllm.engine import (
    VLLM_BACKEND_KERNELS,
    VLLM_KV_DTYPE_FAMILY,
    VLLM_KV_DTYPE_LINES,
    VLLM_KV_DTYPES,
    VllmMoeKernels,
)
from resource_graph import ResourceGraph
from rules.reading.engines.expert_kernels import (
    BACKEND_FLAG,
    OVERRIDE_VARIABLE,
    VLLM_AUTO,
    doubtful_kernels,
    read_expert_parallel_size,
    read_override,
    read_vllm_backend,
    read_vllm_variables,
)
from rules.reading.engines.memory import read_memory_plan
from rules.reading.engines.models import checkpoint_name, read_kv_format, read_mxfp4
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.placements import read_landing
from rules.reading.pods.containers import read_image
from rules.reading.pods.workers import Worker
from rules.reading.releases import VLLM_0_20, VLLM_IMAGE, as_read
from rules.rule import (
    CONFIGURED_WORKERS,
    TENSORRT_LLM_WORKERS,
    VLLM_WORKERS,
    WORKERS,
    Advice,
    Said,
    Severity,
    rule,
)

_OF_OTHERS = frozenset({"int8", "int4", "fp16", "fp32", "float32", "fp4", "e4m3", "e5m2", "q8_0", "q4_0"})
"""Formats of a KV cache that other engines and tools have."""
_Wanted = Iterable[tuple[str, VllmMoeKernels | None]]


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "The engine takes backend and algorithm without asking the GPU and ends while it loads or warms up: "
        "TRTLLM kernels and W4A8_MXFP4_MXFP8 are for Blackwell, CUTLASS has W4A16_MXFP4 for Hopper, TRITON "
        "cannot split experts on Blackwell, and WIDEEP, DEEPGEMM and VANILLA add no bias. CUTEDSL and "
        "DENSEGEMM turn into CUTLASS with a line in the log, and kernels that nobody tests with the model "
        "may be wrong or slow: these two are advice."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/create_moe.py at 01f8de5, "
        "fused_moe_triton.py at 00131d7, fused_moe_trtllm_gen.py at 026946f; NVIDIA/TensorRT-LLM#17570; "
        "tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Place the worker on B200 or GB200 (a pool, or a node selection on nvidia.com/gpu.product), with "
        "moe_config.backend TRTLLM or CUTLASS; on Hopper TRITON or CUTLASS. Or leave OVERRIDE_QUANT_ALGO and "
        "moe_config.backend out: the engine's defaults run on every GPU that has kernels for gpt-oss."
    ),
)
def moe_backend_runs(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Expert kernels do not fit the GPU."""
    for kernels, source in doubtful_kernels(graph, worker):
        gpu, outcome = kernels.accelerator, kernels.support.outcome.value
        parallel = read_expert_parallel_size(read_settings(graph, worker))
        split = f" and expert parallelism {parallel}" if parallel > 1 else ""
        said = (
            f"{kernels}{split} {outcome} on {gpu.name} ({gpu.architecture_family}, {source}), where it "
            f"can land: {kernels.support.reason}"
        )
        yield said if kernels.support.stops else Advice(said)


@rule(
    VLLM_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "vLLM ends with a ValueError at start: flashinfer_cutlass takes MXFP4 on Hopper only, "
        "flashinfer_trtllm and MXFP8 activations on B200, GB200, B300 and GB300 only. With --moe-backend the "
        "variables are not read and the experts compute in BF16, whatever the manifest seems to say (advice)."
    ),
    source="vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py",
    lines=("vLLM 0.20.1",),
    fix=(
        "Leave --moe-backend and the VLLM_USE_FLASHINFER_MOE_* variables out: the default runs on every GPU. "
        "Dynamo's own recipes set VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8=1 on B200, and --moe-backend "
        "flashinfer_cutlass on H200. Never both."
    ),
)
def vllm_moe_backend(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """vLLM's expert kernels are not made for the GPU."""
    settings = read_settings(graph, worker)
    backend = read_vllm_backend(settings)
    wanted: _Wanted = read_vllm_variables(settings.environment)
    if backend.value != VLLM_AUTO:
        for name, kernels in read_vllm_variables(settings.environment):
            yield Advice(
                f"{name} asks for {kernels.activations} activations, but is read with "
                f"{BACKEND_FLAG} auto alone; {backend.value} ({backend.source}) computes in BF16"
            )
        flag = f"{BACKEND_FLAG} {backend.value} ({backend.source})"
        wanted = [(flag, VLLM_BACKEND_KERNELS.get(str(backend.value)))]
    yield from as_read(worker, _unfit_for_vllm(graph, worker, wanted), VLLM_0_20)


def _unfit_for_vllm(graph: ResourceGraph, worker: Worker, wanted: _Wanted) -> Iterator[str]:
    for name, kernels in wanted:
        if read_mxfp4(graph, worker) is None:
            return
        accelerators, source = read_landing(graph, worker)
        if kernels is None:
            raise Undecided(f"what {name} does with the MXFP4 experts of gpt-oss is not known here")
        for gpu in accelerators:
            if not kernels.run_on(gpu):
                yield (
                    f"{name} has its kernels on {kernels.where}, and it can land on {gpu.name} "
                    f"({gpu.architecture_family}, {source})"
                )


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "An unknown value is ignored with one line in the log, and but for an MXFP4 checkpoint under "
        "TensorRT-LLM nothing reads it: the experts run with other activations than the manifest says."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (override_quant_algo, get_mxfp4_quant_algo)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Remove the variable, or write one of the three names, in any case of letters and without blanks, "
        "beside openai/gpt-oss-120b or openai/gpt-oss-20b as published."
    ),
)
def quantization_override_has_effect(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """OVERRIDE_QUANT_ALGO has no effect."""
    command = next(iter(worker.commands), None)
    # An equal default is no mistake: NVIDIA's own recipe writes it out. Nothing to say of an image that
    # starts its engine by itself.
    if command is None or OVERRIDE_VARIABLE not in command.environment:
        return
    if not is_tensorrt_llm(worker):
        yield f"sets {OVERRIDE_VARIABLE}, which TensorRT-LLM reads, and starts {command.engine}"
        return
    if read_override(command.environment) is None:
        text = variable_in(command.environment, OVERRIDE_VARIABLE)
        yield (
            f"{OVERRIDE_VARIABLE} is {text!r}, which is none of {', '.join(MXFP4_ALGORITHMS)}: the "
            "engine warns and takes its default"
        )
    if read_mxfp4(graph, worker) is None:
        name = checkpoint_name(command)
        yield f"sets {OVERRIDE_VARIABLE}, which is read for MXFP4 checkpoints alone; {name} is none"


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
        "000b1b9 (TestGPTOSS); vllm 0.20.1 vllm/config/cache.py, and of 0.10.2 to 0.33.0 (formats that no "
        "release has)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.10 to 0.33"),
    fix=("Write auto or fp8, in small letters; on Hopper auto, or measure the quality of its answers first."),
)
def kv_cache_dtype_known(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """KV cache format is not one that the engine takes."""
    found = read_kv_format(graph, worker)
    if found is None:
        return
    known = VLLM_KV_DTYPES if is_vllm(worker) else TENSORRT_LLM_KV_DTYPES
    is_of_family = is_vllm(worker) and found.value.startswith(VLLM_KV_DTYPE_FAMILY)
    if _is_of_no_vllm(found, worker):
        yield f"the KV cache is to be {found}, which no vLLM takes: auto, or fp8 for 8 bits"
    elif found.value not in known and not is_of_family:
        message = f"the KV cache is to be {found}, and its engine takes {', '.join(sorted(known))}"
        yield from as_read(worker, [message], VLLM_0_20 if is_vllm(worker) else TENSORRT_LLM_LINES)
    elif found.value == "fp8" and not is_vllm(worker) and read_mxfp4(graph, worker) is not None:
        accelerators, source = read_landing(graph, worker)
        for gpu in accelerators:
            if not fp8_kv_cache_is_tested(gpu):
                yield Advice(
                    f"keeps its KV cache in {found} on {gpu.name} ({gpu.architecture_family}, "
                    f"{source}); NVIDIA tests gpt-oss with it on Blackwell alone"
                )


def _is_of_no_vllm(found: Setting, worker: Worker) -> bool:
    """Whether vLLM's own image is of a release that was read, and none of those has such a format."""
    image = read_image(worker.container)
    of_vllm = image is not None and image.name == VLLM_IMAGE and image.line in VLLM_KV_DTYPE_LINES
    return of_vllm and found.value in _OF_OTHERS


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
    one = plan.sequence_gib(plan.max_seq_len.value)
    longest = f"{plan.max_seq_len.value:,} tokens ({plan.max_seq_len.source})"
    # The model's own limit of length says nothing about how long sequences are.
    at_once = plan.max_batch_size if plan.max_seq_len.value < plan.model.max_positions else None
    accelerators, _ = read_landing(graph, worker)
    for memory in list(map(plan.on, accelerators)):
        words = plan.pool_words(memory)
        if memory.pool < one:
            yield f"{words}, and one sequence of {longest} takes {one:.1f} GiB"
        elif at_once is not None and memory.pool < at_once.value * one:
            yield (
                f"{words}; {at_once.value:,} sequences ({at_once.source}) of {longest} take "
                f"{at_once.value * one:.1f} GiB, so {int(memory.pool / one):,} run at once"
            )
        if memory.pool >= 0 and memory.rest < plan.buffers_gib:
            yield (
                f"{words} and {memory.rest:.1f} GiB beside it; a buffer to send and one to receive of "
                f"{plan.buffer_tokens:,} tokens each take {plan.buffers_gib:.1f} GiB"
            )
