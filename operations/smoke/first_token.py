"""Whether the first token comes as fast as the stack's KV transport should let it."""

from hardware import KvPath, tcp_range, transfer_range
from operations.smoke.results import Judgement, good, wrong
from recipes.model import Recipe

# Left for the chat template around the prompt, and for a tokenizer that splits a word.
_SPARE_TOKENS = 512
_PAGE = "docs/which-recipe.md says what each KV path can carry"
_SIGNS = "`tcp/eth0` or `software emulation` in the workers' logs (UCX_LOG_LEVEL=info) prove it"


def prompt_words(recipe: Recipe) -> int:
    """Return of how many words a prompt of the length is that `explain` computes with."""
    return max(min(recipe.traffic.input_tokens, recipe.longest_prompt) - _SPARE_TOKENS, 1)


def judge_first_token(seconds: float, prompt_tokens: int | None, path: KvPath, recipe: Recipe) -> Judgement:
    """Return whether the first token came in time for the path, beside what the transfer alone takes.

    Args:
        seconds: until the first token.
        prompt_tokens: None where the frontend did not count them.
        path: how the KV cache travels.
        recipe: what is served.

    """
    tokens = prompt_tokens or prompt_words(recipe)
    payload = tokens * recipe.kv_bytes_per_token
    took = f"{seconds:.2f} s for a prompt of {tokens:,} tokens"
    carried = _carried(payload, path)
    if seconds > path.late_first_token_seconds:
        limit = f"over {path.late_first_token_seconds:g} s"
        if path.transport == "tcp":
            return wrong(
                f"{took}; {carried}; {limit} is slower than NVIDIA's guide gives even for TCP", _SIGNS
            )
        slow = f"{limit} NVIDIA's guide sees no RDMA: the signature of plain TCP"
        return wrong(f"{took}; {carried}; {slow}", f"{_SIGNS}; {_PAGE}")
    if path.transport == "tcp":
        return good(f"{took}; {carried}")
    # A prompt is computed too, and nobody publishes for how long.
    is_beyond_tcp = seconds < tcp_range(payload)[0]
    doubt = "TCP alone would take longer" if is_beyond_tcp else "one request does not rule TCP out"
    return good(f"{took}; {carried}; {doubt}")


def judge_silence(reason: str, path: KvPath, recipe: Recipe) -> Judgement:
    """Return the judgement of a long prompt that nobody answered."""
    words = prompt_words(recipe)
    carried = _carried(words * recipe.kv_bytes_per_token, path)
    return wrong(f"{reason} to a prompt of about {words:,} tokens; {carried}", f"{_SIGNS}; {_PAGE}")


def _carried(payload: int, path: KvPath) -> str:
    takes = _seconds(*transfer_range(payload, path))
    text = f"its {payload / 1e6:.0f} MB of KV cache take {takes} over {path.transport}"
    return text if path.transport == "tcp" else f"{text} and {_seconds(*tcp_range(payload))} over TCP"


def _seconds(least: float, most: float) -> str:
    return f"{least:.3f} s" if least == most else f"{least:.2f} to {most:.2f} s"
