"""Whether the first token comes as fast as the stack's KV transport should let it."""

from dataclasses import dataclass

from hardware import KvPath, tcp_range, transfer_range
from operations.document import CheckResult, good, wrong
from stacks.plan.stack_plan import StackPlan

# Left for the chat template around the prompt, and for a tokenizer that splits a word.
_SPARE_TOKENS = 512
_SIGNS = (
    "`tcp/eth0` or `software emulation` in the workers' logs (UCX_LOG_LEVEL=info) prove it; "
    "docs/which-recipe.md says what each KV path can carry"
)


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


def judge_first_token(seconds: float, prompt_tokens: int | None, kv: KvHandover) -> CheckResult:
    """Return whether the first token came in time for the path, beside what the transfer alone takes.

    A token in time does not rule TCP out: a prompt is computed too, and nobody publishes for how long.

    Args:
        seconds: until the first token.
        prompt_tokens: None where the frontend did not count them.
        kv: how the KV cache travels.

    """
    limit = kv.path.late_first_token_seconds
    tokens = prompt_tokens or kv.prompt_words
    took = f"{seconds:.2f} s for a prompt of {tokens:,} tokens; {_carried(tokens, kv)}"
    if seconds <= limit:
        return good(took)
    if kv.path.transport == "tcp":
        slow = f"over {limit:g} s is slower than NVIDIA's guide gives even for TCP"
    else:
        slow = f"over {limit:g} s NVIDIA's guide sees no RDMA: the signature of plain TCP"
    return wrong(f"{took}; {slow}", _SIGNS)


def judge_silence(reason: str, kv: KvHandover) -> CheckResult:
    """Return the judgement of a long prompt that nobody answered."""
    tokens = kv.prompt_words
    return wrong(f"{reason} to a prompt of about {tokens:,} tokens; {_carried(tokens, kv)}", _SIGNS)


def _carried(tokens: int, kv: KvHandover) -> str:
    payload = tokens * kv.bytes_per_token
    own = f"{_seconds(*transfer_range(payload, kv.path))} over {kv.path.transport}"
    beside = "" if kv.path.transport == "tcp" else f" and {_seconds(*tcp_range(payload))} over TCP"
    return f"its {payload / 1e6:.0f} MB of KV cache take {own}{beside}"


def _seconds(least: float, most: float) -> str:
    return f"{least:.3f} s" if least == most else f"{least:.2f} to {most:.2f} s"
