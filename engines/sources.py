"""Where what is known of engines and models comes from."""

from hardware import Source

TENSORRT_LLM_CREATE_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/create_moe.py at 01f8de5", "2026-05"
)
TENSORRT_LLM_CUTLASS_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_cutlass.py (can_implement)",
    "2026-05",
)
TENSORRT_LLM_TRITON_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_triton.py at 00131d7", "2026-05"
)
TENSORRT_LLM_TRTLLM_MOE = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/fused_moe_trtllm_gen.py at 026946f", "2026-05"
)
TENSORRT_LLM_HOPPER_TRTLLM = Source("NVIDIA/TensorRT-LLM#17570 (IndexError in the autotuner)", "2026")
TENSORRT_LLM_GPT_OSS = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/models/modeling_gpt_oss.py at 050b6cb", "2026-05"
)
TENSORRT_LLM_ACCURACY_TESTS = Source(
    "NVIDIA/TensorRT-LLM tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)",
    "2026-05",
)
GPT_OSS_CONFIGS = Source(
    "ai-dynamo/aiconfigurator src/aiconfigurator/model_configs at 095f58a (config.json of "
    "openai/gpt-oss-120b and openai/gpt-oss-20b)",
    "2026",
)
HUGGING_FACE_CONFIGS = Source(
    "config.json of each repository on Hugging Face, most of them as kept in ai-dynamo/aiconfigurator "
    "src/aiconfigurator/model_configs at 095f58a",
    "2026-08",
)
TENSORRT_LLM_ARGUMENTS = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, in the fork Tracin/TensorRT-LLM at 21a5a51: the "
    "stored commit nearest to release 1.3.0rc14",
    "2026-05",
)
DYNAMO_ARGUMENTS = Source(
    "ai-dynamo 1.2.1 from PyPI: argparse of dynamo.trtllm, dynamo.vllm and dynamo.frontend", "2026-06"
)
DYNAMO_OPTIONS = Source(
    "ai-dynamo 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.0 from PyPI (argparse of dynamo.trtllm, dynamo.vllm, "
    "dynamo.sglang and dynamo.frontend), with the engines that each names: vllm 0.20.1, 0.23.0, 0.26.0, "
    "0.28.0 and 0.31.0 (vllm/engine/arg_utils.py, vllm/config/load.py, "
    "vllm/v1/attention/backends/registry.py, vllm/distributed/kv_transfer/kv_connector/factory.py; for "
    "vllm serve its cli_args.py in vllm/entrypoints/openai, since 0.31.0 in launchers), sglang 0.5.11, "
    "0.5.14, 0.5.16, 0.5.18 and 0.5.21 (sglang/srt/server_args.py)",
    "2026-11",
)
TENSORRT_LLM_KV_CACHE_DTYPES = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py (validate_and_set_kv_cache_quant)",
    "2026-05",
)
TENSORRT_LLM_MXFP4_PADDING = Source(
    "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/quantization.py (MXFP4 weight alignment)",
    "2026-05",
)
VLLM_MXFP4_PADDING = Source("vllm 0.20.1 vllm/model_executor/layers/quantization/mxfp4.py", "2026")
AICONFIGURATOR_MEMORY = Source(
    "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a", "2026"
)
VLLM_MXFP4_ORACLE = Source("vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py", "2026")
VLLM_KV_CACHE_DTYPES = Source("vllm 0.20.1 vllm/config/cache.py (CacheDType)", "2026")
