"""Which parts of one recipe contradict each other.

Each finding is something that would otherwise show up as a worker that does not start, or as requests that
hang, long after the recipe was written.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hardware import ACCELERATORS
from recipes.tensorrt_llm import QuantizationAlgorithm, TensorRtLlmOptions

if TYPE_CHECKING:
    from recipes.model import Recipe

_AGGREGATED = ["frontend", "worker"]
_DISAGGREGATED = ["decode", "frontend", "prefill"]
# The experts of gpt-oss have biases, which these kernels do not add.
_WITHOUT_BIAS = ("WIDEEP", "DEEPGEMM", "VANILLA")


def contradictions(recipe: "Recipe") -> tuple[str, ...]:
    """Return a sentence for each contradiction, none for a sound recipe."""
    found = [*_services(recipe), *_accelerators(recipe), *_kernels(recipe)]
    engines = {service.role: service.engine for service in recipe.services}
    worker, prefill, decode = engines.get("worker"), engines.get("prefill"), engines.get("decode")
    if worker is not None:
        found += _aggregated_lengths(recipe, worker)
        if worker.cache_transceiver_config is not None:
            found.append("an aggregated worker transfers no KV cache: leave cache_transceiver_config out")
    if prefill is not None and decode is not None:
        found += _disaggregated_lengths(recipe, prefill, decode)
        found += _transfer(prefill, decode)
    return tuple(found)


def _services(recipe: "Recipe") -> Iterator[str]:
    names = [service.service_name.lower() for service in recipe.services]
    if len(set(names)) != len(names):
        yield "service names must differ in more than upper and lower case"
    roles = [service.role for service in recipe.services]
    if sorted(roles) not in (_AGGREGATED, _DISAGGREGATED):
        yield (
            f"a recipe has one frontend and one worker service, or one frontend, one prefill and one decode "
            f"service, not {', '.join(roles)}"
        )


def _accelerators(recipe: "Recipe") -> Iterator[str]:
    families = recipe.quantization.architecture_families
    for name in (*recipe.validated_on, *(entry.accelerator for entry in recipe.evidence)):
        accelerator = ACCELERATORS.get(name)
        if accelerator is None:
            yield f"accelerator {name} is not one of {', '.join(ACCELERATORS)}"
        elif accelerator.architecture_family not in families:
            yield f"accelerator {name} is {accelerator.architecture_family}, which the recipe cannot run on"


def _kernels(recipe: "Recipe") -> Iterator[str]:
    for worker in recipe.workers:
        if worker.engine is not None:
            for refusal in _refusals(recipe, worker.engine):
                yield f"{worker.service_name}: {refusal}"


def _refusals(recipe: "Recipe", options: TensorRtLlmOptions) -> Iterator[str]:
    """Yield what TensorRT-LLM 1.3.0rc14 refuses for gpt-oss, at start and after the model was loaded.

    Which kernels take which number formats: NVIDIA/TensorRT-LLM `tensorrt_llm/_torch/modules/fused_moe` and
    `tensorrt_llm/_torch/models/modeling_gpt_oss.py`.
    """
    experts, algorithm = recipe.model.experts, recipe.quantization.algorithm
    families = recipe.quantization.architecture_families
    if options.pipeline_parallel_size != 1:
        yield f"pipeline_parallel_size {options.pipeline_parallel_size}: gpt-oss runs with 1 only"
    parallel = options.moe_expert_parallel_size
    if experts % parallel:
        yield f"moe_expert_parallel_size {parallel} must divide the model's {experts} experts"
    backend = (options.moe_config.backend if options.moe_config else None) or "AUTO"
    if backend in _WITHOUT_BIAS:
        yield f"moe_config.backend {backend} cannot run gpt-oss, whose experts have biases: write TRTLLM"
    if "hopper" in families and (backend == "TRTLLM" or algorithm == "W4A8_MXFP4_MXFP8"):
        yield f"moe_config.backend {backend} with {algorithm or 'the default'} has no kernels on Hopper"
    if "blackwell" in families:
        yield from _on_blackwell(backend, parallel, algorithm)


def _on_blackwell(backend: str, parallel: int, algorithm: QuantizationAlgorithm | None) -> Iterator[str]:
    if backend == "CUTLASS" and algorithm not in {None, "W4A8_MXFP4_MXFP8"}:
        yield f"moe_config.backend CUTLASS does not run {algorithm} on Blackwell: write TRTLLM"
    if backend == "TRITON" and algorithm == "W4A8_MXFP4_MXFP8":
        yield f"moe_config.backend TRITON has no {algorithm}: write TRTLLM"
    if backend == "TRITON" and parallel > 1:
        yield f"moe_config.backend TRITON needs moe_expert_parallel_size 1 on Blackwell, not {parallel}"


def _aggregated_lengths(recipe: "Recipe", worker: TensorRtLlmOptions) -> Iterator[str]:
    positions = recipe.model.max_positions
    prompt = recipe.traffic.input_tokens
    whole = prompt + recipe.traffic.output_tokens
    longest = worker.longest_prompt(positions)
    if prompt > longest:
        yield (
            f"prompts of {prompt} tokens exceed the {longest} tokens that the worker admits: raise "
            f"max_num_tokens or max_seq_len, or write enable_chunked_prefill: true"
        )
    if whole > worker.effective_max_seq_len(positions):
        yield f"{whole} tokens of prompt and answer exceed the worker's max_seq_len {worker.max_seq_len}"


def _disaggregated_lengths(
    recipe: "Recipe", prefill: TensorRtLlmOptions, decode: TensorRtLlmOptions
) -> Iterator[str]:
    positions = recipe.model.max_positions
    prompt = recipe.traffic.input_tokens
    whole = prompt + recipe.traffic.output_tokens
    # A prefill worker makes the first token of the answer.
    if prompt + 1 > prefill.effective_max_seq_len(positions):
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
    if whole > decode.effective_max_seq_len(positions):
        yield (
            f"{whole} tokens of prompt and answer exceed the decode worker's max_seq_len {decode.max_seq_len}"
        )


def _transfer(prefill: TensorRtLlmOptions, decode: TensorRtLlmOptions) -> Iterator[str]:
    if prefill.cache_transceiver_config is None or decode.cache_transceiver_config is None:
        yield "prefill and decode workers both need cache_transceiver_config"
        return
    if prefill.cache_transceiver_config.backend != decode.cache_transceiver_config.backend:
        yield "prefill and decode workers must use the same transceiver backend"
    if prefill.kv_dtype != decode.kv_dtype:
        yield f"KV cache of {prefill.kv_dtype} cannot be read by a decode worker with {decode.kv_dtype}"
    if prefill.tokens_per_block != decode.tokens_per_block:
        yield (
            f"prefill and decode workers must use the same tokens_per_block, not {prefill.tokens_per_block} "
            f"and {decode.tokens_per_block}"
        )
