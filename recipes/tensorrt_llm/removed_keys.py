"""Engine options that TensorRT-LLM no longer has, and what says the same today.

They still circulate in guides and blog posts. The engine forbids unknown keys, so a worker that finds one in
its engine file stops at start, long after the graph was admitted.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

# NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, release 1.3.0rc14: none of these is a field.
REMOVED_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "enable_mixed_sampler": "leave it out: the sampler mixes strategies by itself",
        "use_cuda_graph": "CUDA graphs are on; write `cuda_graph_config: null` to turn them off",
        "cuda_graph_padding_enabled": "write cuda_graph_config.enable_padding",
        "kv_cache_dtype": "write kv_cache_config.dtype",
        "moe_backend": "write moe_config.backend",
        "pytorch_backend_config": "write its options at the top level",
        "kv_cache_free_gpu_memory_fraction": "write kv_cache_config.free_gpu_memory_fraction",
        "extra_llm_api_options": "leave it out: it is a flag of trtllm-serve that names a file",
    }
)


def refuse_removed_keys(keys: Iterable[str]) -> None:
    """Raise a ValueError that says what replaced each removed key."""
    found = [key for key in keys if key in REMOVED_KEYS]
    if found:
        raise ValueError(
            "; ".join(f"{key} is no engine option any more: {REMOVED_KEYS[key]}" for key in found)
        )
