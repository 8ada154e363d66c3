"""Which parts of one recipe contradict each other.

Each finding is something that would otherwise show up as a worker that does not start, or as requests that
hang, long after the recipe was written.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recipes.tensorrt_llm import TensorRtLlmOptions

if TYPE_CHECKING:
    from recipes.model import Recipe


def contradictions(recipe: "Recipe") -> tuple[str, ...]:
    """Return a sentence for each contradiction, none for a sound recipe."""
    return (*_services(recipe), *_lengths(recipe), *_transfer(recipe))


def _services(recipe: "Recipe") -> Iterator[str]:
    names = [service.service_name.lower() for service in recipe.services]
    if len(set(names)) != len(names):
        yield "service names must differ in more than upper and lower case"
    roles = [service.role for service in recipe.services]
    if sorted(roles) != ["decode", "frontend", "prefill"]:
        yield f"a disaggregated recipe has one frontend, one prefill and one decode service, not {roles}"


def _lengths(recipe: "Recipe") -> Iterator[str]:
    prefill, decode = _engines(recipe)
    if prefill is None or decode is None:
        return
    prompt = recipe.traffic.input_tokens
    whole = prompt + recipe.traffic.output_tokens
    if prompt > prefill.max_seq_len:
        yield f"prompts of {prompt} tokens exceed the prefill worker's max_seq_len {prefill.max_seq_len}"
    if prefill.max_seq_len > prefill.max_num_tokens:
        # Refused by the engine while chunked prefill is off.
        yield f"prefill max_seq_len {prefill.max_seq_len} exceeds its max_num_tokens {prefill.max_num_tokens}"
    if whole > decode.max_seq_len:
        yield (
            f"{whole} tokens of prompt and answer exceed the decode worker's max_seq_len {decode.max_seq_len}"
        )


def _transfer(recipe: "Recipe") -> Iterator[str]:
    prefill, decode = _engines(recipe)
    if prefill is None or decode is None:
        return
    if prefill.cache_transceiver_config is None or decode.cache_transceiver_config is None:
        yield "prefill and decode workers both need cache_transceiver_config"
        return
    if prefill.cache_transceiver_config.backend != decode.cache_transceiver_config.backend:
        yield "prefill and decode workers must use the same transceiver backend"
    if _kv_dtype(prefill) != _kv_dtype(decode):
        yield f"KV cache of {_kv_dtype(prefill)} cannot be read by a decode worker with {_kv_dtype(decode)}"
    for role, engine in (("prefill", prefill), ("decode", decode)):
        transceiver = engine.cache_transceiver_config
        if transceiver and transceiver.max_tokens_in_buffer < prefill.max_seq_len:
            # A longer prompt locks the KV cache up until the pods restart: ai-dynamo/dynamo#4327.
            yield (
                f"{role} max_tokens_in_buffer {transceiver.max_tokens_in_buffer} is smaller than the longest "
                f"prompt that prefill admits, {prefill.max_seq_len}"
            )


def _engines(recipe: "Recipe") -> tuple[TensorRtLlmOptions | None, TensorRtLlmOptions | None]:
    engines = {service.role: service.engine for service in recipe.services}
    return engines.get("prefill"), engines.get("decode")


def _kv_dtype(engine: TensorRtLlmOptions) -> str:
    return (engine.kv_cache_config.dtype if engine.kv_cache_config else None) or "auto"
