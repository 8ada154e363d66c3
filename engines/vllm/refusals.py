"""What vLLM refuses of gpt-oss, and where the roles of one graph contradict each other.

Each finding is something that would otherwise show up as a worker that does not start, or as answers that
are wrong, long after the recipe was written.
"""

from collections.abc import Iterator, Mapping

from engines.engine import ModelUse
from engines.option_block import WorkerRole
from engines.vllm.kernels import VLLM_BACKEND_KERNELS, VLLM_MOE_VARIABLES, VllmMoeKernels
from engines.vllm.options import DEFAULT_MAX_NUM_BATCHED_TOKENS, NIXL, KvTransferConfig, VllmOptions
from hardware import ACCELERATORS

_MXFP8 = VLLM_MOE_VARIABLES["VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8"]
_AUTO = "auto"
_STRUCTURED_OUTPUT = "structured_outputs_config"


def refusals(options: VllmOptions, use: ModelUse) -> Iterator[str]:
    """Yield what vLLM 0.20.1 to 0.31.0 refuses for gpt-oss, or answers wrongly.

    Sizes: vllm/config/scheduler.py and vllm/config/model.py. Kernels: engines/vllm/kernels.py.
    """
    yield from _sizes(options, use)
    yield from _kernels(options, use)
    if options.draft_model is not None and _STRUCTURED_OUTPUT in options.extra:
        # ai-dynamo/dynamo recipes/gpt-oss-120b/README.md at 0e72f06; vllm-project/vllm#27969, #47025.
        yield (
            f"{_STRUCTURED_OUTPUT} with speculative_config: structured output may be no JSON while a draft "
            "model proposes tokens, and the engine may crash: leave one of them out"
        )


def contradictions(roles: Mapping[WorkerRole, VllmOptions], use: ModelUse) -> Iterator[str]:
    """Yield where the roles of one graph do not fit together, or not the traffic."""
    whole = use.prompt_tokens + use.answer_tokens
    for role, options in roles.items():
        needed = use.prompt_tokens + 1 if role == "prefill" else whole
        if needed > options.effective_max_seq_len(use.positions):
            whose = "worker" if role == "worker" else f"{role} worker"
            yield (
                f"{needed} tokens of prompt and answer exceed the {whose}'s max_model_len "
                f"{options.max_model_len}"
            )
    worker, prefill, decode = roles.get("worker"), roles.get("prefill"), roles.get("decode")
    if worker is not None and _hands_over(worker.kv_transfer_config):
        yield f"an aggregated worker hands no KV cache over: leave kv_transfer_config with {NIXL} out"
    if prefill is not None and decode is not None:
        yield from _transfer(prefill, decode)


def _sizes(options: VllmOptions, use: ModelUse) -> Iterator[str]:
    length = options.effective_max_seq_len(use.positions)
    if length > use.positions:
        yield f"max_model_len {length} exceeds the {use.positions} positions of the model: vLLM ends at start"
    step = options.max_num_batched_tokens or DEFAULT_MAX_NUM_BATCHED_TOKENS
    if options.enable_chunked_prefill is False and step < length:
        yield (
            f"max_num_batched_tokens {step} is less than max_model_len {length} with enable_chunked_prefill "
            "false: vLLM ends at start; raise it, or leave enable_chunked_prefill out"
        )
    ranks = options.tensor_parallel_size * options.data_parallel_size
    if options.enable_expert_parallel and use.experts % ranks:
        yield f"enable_expert_parallel: {ranks} GPUs must divide the model's {use.experts} experts"


def _kernels(options: VllmOptions, use: ModelUse) -> Iterator[str]:
    backend = options.moe_backend or _AUTO
    if use.algorithm == "W4A8_MXFP4_FP8":
        yield "vLLM has no W4A8_MXFP4_FP8: write W4A8_MXFP4_MXFP8 or W4A16_MXFP4"
    if use.algorithm == "W4A8_MXFP4_MXFP8":
        yield from _unfit("quantization.algorithm W4A8_MXFP4_MXFP8", _MXFP8, use, "write W4A16_MXFP4")
        if backend != _AUTO:
            # vLLM 0.20 reads the variable of the algorithm only where the backend is auto.
            yield (
                f"moe_backend {backend} takes the experts' activations in BF16, whatever "
                "quantization.algorithm says: leave one of them out"
            )
    if kernels := VLLM_BACKEND_KERNELS.get(backend):
        yield from _unfit(f"moe_backend {backend}", kernels, use, "leave it out")


def _unfit(setting: str, kernels: VllmMoeKernels, use: ModelUse, instead: str) -> Iterator[str]:
    fitting = (gpu for gpu in ACCELERATORS.values() if gpu.architecture_family in use.families)
    without = [gpu.name for gpu in fitting if not kernels.run_on(gpu)]
    if without:
        yield (
            f"{setting} has its kernels on {kernels.where}, not on {', '.join(without)}: {instead}, or "
            "name other architectureFamilies"
        )


def _hands_over(config: KvTransferConfig | None) -> bool:
    return config is not None and config.kv_connector == NIXL


def _transfer(prefill: VllmOptions, decode: VllmOptions) -> Iterator[str]:
    if not _hands_over(prefill.kv_transfer_config) or not _hands_over(decode.kv_transfer_config):
        yield f"prefill and decode workers both need kv_transfer_config with kv_connector {NIXL}"
        return
    if prefill.kv_dtype != decode.kv_dtype:
        yield f"KV cache of {prefill.kv_dtype} cannot be read by a decode worker with {decode.kv_dtype}"
    if prefill.block_size != decode.block_size:
        yield (
            f"prefill and decode workers must use the same block_size, not {prefill.block_size} and "
            f"{decode.block_size}"
        )
    if prefill.draft_model != decode.draft_model:
        # The draft model's layers have KV cache too, which is handed over with the model's.
        yield "prefill and decode workers must name the same speculative_config.model, or none"
