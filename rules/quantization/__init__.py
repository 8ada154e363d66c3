"""Rules about number formats, the kernels that run them, and memory."""

from rules.model import Rule
from rules.quantization import (
    fp8_kv_cache_tested,
    full_concurrency_fits,
    kv_cache_dtype_known,
    moe_backend_runs,
    moe_backend_substituted,
    one_sequence_fits,
    quantization_override_has_effect,
    quantization_override_known,
    same_kv_cache_dtype,
    same_quantization,
    transfer_buffers_fit,
    vllm_moe_backend,
    vllm_moe_env_without_effect,
)

RULES: tuple[Rule, ...] = (
    moe_backend_runs.RULE,
    moe_backend_substituted.RULE,
    vllm_moe_backend.RULE,
    vllm_moe_env_without_effect.RULE,
    quantization_override_known.RULE,
    quantization_override_has_effect.RULE,
    same_quantization.RULE,
    same_kv_cache_dtype.RULE,
    kv_cache_dtype_known.RULE,
    fp8_kv_cache_tested.RULE,
    one_sequence_fits.RULE,
    full_concurrency_fits.RULE,
    transfer_buffers_fit.RULE,
)
