"""What TensorRT-LLM refuses of gpt-oss, and where the roles of one graph contradict each other.

Each finding is something that would otherwise show up as a worker that does not start, or as requests that
hang, long after the recipe was written.
"""

from collections.abc import Iterator, Mapping

from engines.engine import ModelUse
from engines.option_block import WorkerRole
from engines.quantization import default_algorithm
from engines.tensorrt_llm.kernels import default_moe_backend, moe_support
from engines.tensorrt_llm.options import TensorRtLlmOptions
from hardware import ACCELERATORS


def refusals(options: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
    """Yield what TensorRT-LLM 1.3.0rc14 refuses for gpt-oss, at start and after the model was loaded.

    Which kernels take which number formats: NVIDIA/TensorRT-LLM `tensorrt_llm/_torch/modules/fused_moe` and
    `tensorrt_llm/_torch/models/modeling_gpt_oss.py`.
    """
    if options.pipeline_parallel_size != 1:
        yield f"pipeline_parallel_size {options.pipeline_parallel_size}: gpt-oss runs with 1 only"
    parallel = options.moe_expert_parallel_size
    if use.experts % parallel:
        yield f"moe_expert_parallel_size {parallel} must divide the model's {use.experts} experts"
    yield from dict.fromkeys(_kernels(options, use))


def contradictions(roles: Mapping[WorkerRole, TensorRtLlmOptions], use: ModelUse) -> Iterator[str]:
    """Yield where the roles of one graph do not fit together, or not the traffic."""
    worker, prefill, decode = roles.get("worker"), roles.get("prefill"), roles.get("decode")
    if worker is not None:
        yield from _aggregated_lengths(worker, use)
        if worker.cache_transceiver_config is not None:
            yield "an aggregated worker transfers no KV cache: leave cache_transceiver_config out"
    if prefill is not None and decode is not None:
        yield from _disaggregated_lengths(prefill, decode, use)
        yield from _transfer(prefill, decode)


def _kernels(options: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
    """What the experts' kernels refuse of each GPU on which the recipe may run (kernels.py)."""
    chosen = (options.moe_config.backend if options.moe_config else None) or "AUTO"
    for gpu in ACCELERATORS.values():
        if gpu.architecture_family not in use.families:
            continue
        backend = default_moe_backend(gpu) if chosen == "AUTO" else chosen
        algorithm = use.algorithm or default_algorithm(gpu, backend)
        parallel = options.moe_expert_parallel_size
        support = moe_support(backend, algorithm, gpu, expert_parallel_size=parallel)
        if support.stops:
            given = f"moe_config.backend {chosen} with {algorithm}"
            yield f"{given} on {gpu.architecture_family}: {support.reason}"


def _aggregated_lengths(worker: TensorRtLlmOptions, use: ModelUse) -> Iterator[str]:
    whole = use.prompt_tokens + use.answer_tokens
    longest = worker.longest_prompt(use.positions)
    if use.prompt_tokens > longest:
        yield (
            f"prompts of {use.prompt_tokens} tokens exceed the {longest} tokens that the worker admits: "
            f"raise max_num_tokens or max_seq_len, or write enable_chunked_prefill: true"
        )
    if whole > worker.effective_max_seq_len(use.positions):
        yield f"{whole} tokens of prompt and answer exceed the worker's max_seq_len {worker.max_seq_len}"


def _disaggregated_lengths(
    prefill: TensorRtLlmOptions, decode: TensorRtLlmOptions, use: ModelUse
) -> Iterator[str]:
    prompt, whole = use.prompt_tokens, use.prompt_tokens + use.answer_tokens
    # A prefill worker makes the first token of the answer.
    if prompt + 1 > prefill.effective_max_seq_len(use.positions):
        yield (
            f"prompts of {prompt} tokens and the first of an answer exceed the prefill worker's max_seq_len "
            f"{prefill.max_seq_len}"
        )
    step = prefill.effective_max_num_tokens
    wanted = prefill.max_seq_len or prompt
    if step < wanted and not prefill.enable_chunked_prefill:
        # Refused by the engine while chunked prefill is off.
        yield (
            f"prefill {'max_seq_len' if prefill.max_seq_len else 'prompt'} {wanted} exceeds its "
            f"max_num_tokens {step}: raise it, or write enable_chunked_prefill: true"
        )
    if whole > decode.effective_max_seq_len(use.positions):
        yield (
            f"{whole} tokens of prompt and answer exceed the decode worker's max_seq_len {decode.max_seq_len}"
        )


def _transfer(prefill: TensorRtLlmOptions, decode: TensorRtLlmOptions) -> Iterator[str]:
    sender, receiver = prefill.cache_transceiver_config, decode.cache_transceiver_config
    if sender is None or receiver is None:
        yield "prefill and decode workers both need cache_transceiver_config"
        return
    if sender.backend != receiver.backend:
        yield "prefill and decode workers must use the same transceiver backend"
    for role, transceiver, cache in (
        ("prefill", sender, prefill.kv_cache_config),
        ("decode", receiver, decode.kv_cache_config),
    ):
        if transceiver.transceiver_runtime == "CPP" and cache and cache.use_kv_cache_manager_v2:
            yield (
                f"{role}: transceiver_runtime CPP moves no cache of the second manager: leave "
                "kv_cache_config.use_kv_cache_manager_v2 out"
            )
    if prefill.kv_dtype != decode.kv_dtype:
        yield f"KV cache of {prefill.kv_dtype} cannot be read by a decode worker with {decode.kv_dtype}"
    if prefill.tokens_per_block != decode.tokens_per_block:
        yield (
            f"prefill and decode workers must use the same tokens_per_block, not {prefill.tokens_per_block} "
            f"and {decode.tokens_per_block}"
        )
