"""Whether the first token comes as fast as the stack's KV transport should let it."""

from dataclasses import dataclass

from hardware import (
    KvPath,
    tcp_range,
    transfer_range,
)
from operations.smoke.results import Judgement, good, wrong
from stacks.plan.stack_plan import StackPlan

# Left for the chat template around the prompt, and for a tokenizer that splits a word.
_SPARE_TOKENS = 512
_PAGE = "docs/which-recipe.md says what each KV path can carry"
_SIGNS = "`tcp/eth0` or `software emulation` in the workers' logs (UCX_LOG_LEVEL=info) prove it"


@dataclass(frozen=True, slots=True)
class KvHandover:
    """How a stack's KV cache travels, for a prompt of the length that `explain` computes with."""

    path: KvPath
    bytes_per_token: int
    prompt_words: int


def kv_handover(stack: StackPlan) -> KvHandover | None:
    """Return how the stack's KV cache travels; None for an aggregated one, whose cache stays where it is."""
    placed = stack.serving.placed
    if placed.kv_transport is None:
        return None
    recipe = placed.recipe
    words = max(min(recipe.traffic.input_tokens, recipe.longest_prompt) - _SPARE_TOKENS, 1)
    return KvHandover(placed.kv_transport.path, recipe.kv_bytes_per_token, words)


def judge_first_token(seconds: float, prompt_tokens: int | None, kv: KvHandover) -> Judgement:
    """Return whether the first token came in time for the path, beside what the transfer alone takes.

    Args:
        seconds: until the first token.
        prompt_tokens: None where the frontend did not count them.
        kv: how the KV cache travels.

    """
    tokens = prompt_tokens or kv.prompt_words
    payload = tokens * kv.bytes_per_token
    took = f"{seconds:.2f} s for a prompt of {tokens:,} tokens"
    carried = f"its {payload / 1e6:.0f} MB of KV cache take {_computed(payload, kv.path)}"
    if seconds > kv.path.late_first_token_seconds:
        limit = f"over {kv.path.late_first_token_seconds:g} s"
        if kv.path.transport == "tcp":
            return wrong(
                f"{took}; {carried}; {limit} is slower than NVIDIA's guide gives even for TCP", _SIGNS
            )
        slow = f"{limit} NVIDIA's guide sees no RDMA: the signature of plain TCP"
        return wrong(f"{took}; {carried}; {slow}", f"{_SIGNS}; {_PAGE}")
    if kv.path.transport == "tcp":
        return good(f"{took}; {carried}")
    # A prompt is computed too, and nobody publishes for how long.
    is_beyond_tcp = seconds < tcp_range(payload)[0]
    doubt = "TCP alone would take longer" if is_beyond_tcp else "one request does not rule TCP out"
    return good(f"{took}; {carried}; {doubt}")


def judge_silence(reason: str, kv: KvHandover) -> Judgement:
    """Return the judgement of a long prompt that nobody answered."""
    payload = kv.prompt_words * kv.bytes_per_token
    carried = f"its {payload / 1e6:.0f} MB of KV cache take {_computed(payload, kv.path)}"
    return wrong(f"{reason} to a prompt of about {kv.prompt_words:,} tokens; {carried}", f"{_SIGNS}; {_PAGE}")


def _computed(payload: int, path: KvPath) -> str:
    text = f"{_seconds(*transfer_range(payload, path))} over {path.transport}"
    return text if path.transport == "tcp" else f"{text} and {_seconds(*tcp_range(payload))} over TCP"


def _seconds(least: float, most: float) -> str:
    return f"{least:.3f} s" if least == most else f"{least:.2f} to {most:.2f} s"
