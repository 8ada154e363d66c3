"""Rules about number formats, the kernels that run them, and memory."""

from rules.model import Rule
from rules.quantization import experts, kv_cache

RULES: tuple[Rule, ...] = (
    experts.moe_backend_runs,
    experts.moe_backend_substituted,
    experts.vllm_moe_backend,
    experts.vllm_moe_env_without_effect,
    experts.quantization_override_known,
    experts.quantization_override_has_effect,
    experts.same_quantization,
    kv_cache.same_kv_cache_dtype,
    kv_cache.kv_cache_dtype_known,
    kv_cache.fp8_kv_cache_tested,
    kv_cache.one_sequence_fits,
    kv_cache.full_concurrency_fits,
    kv_cache.transfer_buffers_fit,
)
