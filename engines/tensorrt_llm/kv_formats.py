"""Formats of the KV cache that TensorRT-LLM takes."""

TENSORRT_LLM_KV_DTYPES = frozenset({"auto", "fp8", "nvfp4"})
"""Formats of the KV cache that TensorRT-LLM's PyTorch backend takes; any other ends in a ValueError
(tensorrt_llm/_torch/pyexecutor/model_loader.py, validate_and_set_kv_cache_quant)."""
