"""How a TensorRT-LLM worker buffers the KV cache that it sends or receives, and for how long a prompt."""

from engines import DEFAULT_MAX_NUM_TOKENS, DEFAULT_TOKENS_PER_BLOCK, ModelShape
from rules.reading.engines.tensorrt_llm import Count, Setting, TensorRtLlmSettings
from rules.reading.shapes import Undecided

_BLOCK = "cache_transceiver_config"


def transceiver_backend(settings: TensorRtLlmSettings) -> Setting | None:
    """What moves the cache; None for a worker that moves none."""
    return settings.at(_BLOCK, "backend")


def transfer_buffer(settings: TensorRtLlmSettings) -> Count | None:
    """Tokens that a transfer buffer holds; None where the engine sizes it by max_seq_len."""
    if settings.at(_BLOCK, "max_tokens_in_buffer") is None:
        return None
    return settings.count(_BLOCK, "max_tokens_in_buffer", default=0)


def tokens_per_block(settings: TensorRtLlmSettings) -> Count:
    """Tokens of one block of the KV cache."""
    return settings.count("kv_cache_config", "tokens_per_block", default=DEFAULT_TOKENS_PER_BLOCK)


def longest_sequence(settings: TensorRtLlmSettings, model: ModelShape | None) -> Count:
    """Tokens of prompt and answer together that the engine admits.

    Raises:
        Undecided: it is the model's own length, and the model is not known here.
    """
    if settings.at("max_seq_len") is not None:
        return settings.count("max_seq_len", default=0)
    if model is None:
        raise Undecided("max_seq_len is not set, and nothing here says how long the model's sequences are")
    return Count(model.max_positions, f"the length that {model.name} was made for")


def longest_prompt(settings: TensorRtLlmSettings, model: ModelShape | None) -> Count:
    """Tokens of the longest prompt that the engine admits.

    It leaves room for one token of an answer. Without chunked prefill it has to fit in one step.

    Raises:
        Undecided: a setting that decides is unknown.
    """
    if settings.switch("enable_chunked_prefill"):
        return _before_an_answer(longest_sequence(settings, model))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if settings.at("max_seq_len") is None and model is None:
        return step
    prompt = _before_an_answer(longest_sequence(settings, model))
    return min(prompt, step, key=lambda count: count.value)


def _before_an_answer(sequence: Count) -> Count:
    return Count(sequence.value - 1, f"{sequence.source}, less one token of an answer")
