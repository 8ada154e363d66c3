"""Formats of the KV cache that vLLM takes."""

VLLM_KV_DTYPES = frozenset(
    {
        "auto",
        "float16",
        "bfloat16",
        "fp8",
        "fp8_e4m3",
        "fp8_e5m2",
        "fp8_inc",
        "fp8_ds_mla",
        "nvfp4",
        "int8_per_token_head",
        "fp8_per_token_head",
    }
)
"""Values of vLLM's --kv-cache-dtype beside the next family (vllm 0.20.1 vllm/config/cache.py, CacheDType)."""
VLLM_KV_DTYPE_FAMILY = "turboquant_"
