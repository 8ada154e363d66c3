"""What the path of the KV cache from prefill to decode can carry, and what would carry more."""

from recipes.model import Recipe

# Bytes of KV cache per token in 8-bit floating point: layers x 2 x KV heads x head size, from the model's
# config.json. Every layer is sent whole, because the recipe sets no max_attention_window.
_KV_BYTES_PER_TOKEN_FP8 = {"openai/gpt-oss-120b": 36 * 2 * 8 * 64}
_NETWORK_GBIT = 25.0
"""A common bandwidth of the pod network; line rate, no protocol overhead."""
_FLOW_GBIT = 5.0
"""What EC2 lets one TCP flow between two instances carry."""


def ceiling(recipe: Recipe) -> str:
    """How many requests a second plain TCP can hand from prefill to decode, as a sentence."""
    bytes_per_token = _KV_BYTES_PER_TOKEN_FP8.get(recipe.model.repository)
    if bytes_per_token is None:
        return "unknown: the size of this model's KV cache is not on record"
    request = bytes_per_token * _bytes_per_value(recipe) * recipe.traffic.input_tokens
    return (
        f"a prompt of {recipe.traffic.input_tokens:,} tokens is {request / 1e9:.2f} GB of KV cache: at most "
        f"{_requests(request, _NETWORK_GBIT):.1f} a second over {_NETWORK_GBIT:.0f} Gbit/s of pod network, "
        f"{_requests(request, _FLOW_GBIT):.1f} over one TCP flow of {_FLOW_GBIT:.0f} Gbit/s "
        "(computed, not measured)"
    )


def lift() -> str:
    """What would raise the ceiling of plain TCP."""
    return (
        "network cards with RDMA in both pods (EFA, InfiniBand or RoCE), or on GB200 a ComputeDomain that "
        "puts both workers on one NVLink domain"
    )


def _bytes_per_value(recipe: Recipe) -> int:
    caches = [worker.engine.kv_cache_config for worker in recipe.workers if worker.engine]
    return 1 if all(cache is not None and cache.dtype == "fp8" for cache in caches) else 2


def _requests(request_bytes: int, gbit: float) -> float:
    return gbit * 1e9 / 8 / request_bytes
