"""Rules about number formats, the kernels that run them, and memory."""

from rules.model import Rule
from rules.quantization import experts, kv_cache

RULES: tuple[Rule, ...] = (
    experts.moe_backend_runs,
    experts.vllm_moe_backend,
    experts.quantization_override_has_effect,
    kv_cache.kv_cache_dtype_known,
    kv_cache.kv_cache_fits,
)
