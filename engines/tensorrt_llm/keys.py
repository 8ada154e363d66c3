"""Settings of TensorRT-LLM: keys of its engine file, what is gone, closed choices, and its commands' options.

The engine forbids unknown keys, at the top level and inside blocks, and unknown words where a setting has a
closed choice. A key that is missing here is suspicious and not yet wrong; a removed key is wrong.

Read, by the line of Dynamo whose images carry the release (pins of the PyPI packages ai-dynamo 1.2.1, 1.3.1,
1.4.2, 1.5.0 and 1.6.1):

- 1.2, 1.3.0rc14: NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py in the fork Tracin/TensorRT-LLM at
  21a5a51, the stored commit nearest to it.
- 1.3, 1.3.0rc19, of a8c5955 (2026-06-22): not to be had. What the releases before and after it agree on is
  taken for it as well.
- 1.4, 1.3.0rc22, of 8ba9340 (2026-07-20): its llm_args.py in 1.3.0rc22/_modules of branch gh-pages at
  0694d64, the words of moe_config, and that its classes forbid unknown keys too (StrictBaseModel).
- 1.5, 1.3.0rc25: 1.3.0rc25/developer-guide/telemetry.html of gh-pages at 7dd67b7, which is made from
  llm_args.py: types and words of settings.
- 1.6, 1.3.0rc29: 1.3.0rc29/llm-api/reference/LLM.html (top level) and genindex.html (blocks) of gh-pages at
  bf0ee2f; formats of the KV cache in 1.3.0rc28 at c16b320, words of blocks in 1.3.0rc27 and 1.4.0rc4.

Every setting that a recipe of the catalogue writes has the same name in all of them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from engines.release import ReleaseLine

SETTINGS_LINES: Collection[ReleaseLine] = frozenset((1, minor) for minor in range(7))
"""Lines of Dynamo whose engine settings were read; 1.0 and 1.1 carry releases of early 2026, whose files
agree with 1.2's."""
KEYS_LINES: Collection[ReleaseLine] = frozenset({(1, 2), (1, 6)})
"""Lines all of whose keys were read; a release between them may have had a key that neither has."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


REMOVED_ENGINE_KEYS: Mapping[str, str] = {
    "enable_mixed_sampler": "leave it out: the sampler mixes strategies by itself",
    "use_cuda_graph": "CUDA graphs are on; write `cuda_graph_config: null` to turn them off",
    "cuda_graph_padding_enabled": "write cuda_graph_config.enable_padding",
    "kv_cache_dtype": "write kv_cache_config.dtype",
    "moe_backend": "write moe_config.backend",
    "pytorch_backend_config": "write its options at the top level",
    "kv_cache_free_gpu_memory_fraction": "write kv_cache_config.free_gpu_memory_fraction",
    "extra_llm_api_options": "leave it out: it is a flag of trtllm-serve that names a file",
}
"""Key that guides and blog posts still name -> what says the same today."""

ENGINE_KEYS: frozenset[str] = _names(
    """
    model dtype revision tokenizer tokenizer_mode tokenizer_revision custom_tokenizer skip_tokenizer_init
    trust_remote_code model_kwargs tensor_parallel_size pipeline_parallel_size context_parallel_size
    moe_cluster_parallel_size moe_tensor_parallel_size moe_expert_parallel_size gpus_per_node pp_partition
    load_format checkpoint_format checkpoint_loader cp_config lora_config peft_cache_config kv_cache_config
    kv_connector_config scheduler_config cache_transceiver_config sparse_attention_config speculative_config
    decoding_config prometheus_metrics_config telemetry_config cuda_graph_config attention_dp_config
    moe_config nvfp4_gemm_config dwdp_config torch_compile_config mx_config gms_config sleep_config
    reorder_policy_config
    layer_wise_benchmarks_config enable_attention_dp enable_chunked_prefill enable_autotuner enable_lora
    enable_lm_head_tp_in_adp enable_energy_metrics enable_iter_perf_stats enable_iter_req_stats
    enable_layerwise_nvtx_marker enable_min_latency enable_resource_governor enable_early_first_token_response
    enable_speculative_beam_history_d2h disable_overlap_scheduler disable_flashinfer_sampling max_batch_size
    max_num_tokens max_seq_len max_input_len max_beam_width max_stats_len attn_backend backend
    guided_decoding_backend reasoning_parser batched_logits_processor gather_generation_logits
    num_postprocess_workers postprocess_tokenizer_dir stream_interval allreduce_strategy sampler_type
    sampler_force_async_worker print_iter_log iter_stats_max_iterations request_stats_max_iterations
    return_perf_metrics perf_metrics_max_requests otlp_traces_endpoint orchestrator_type env_overrides
    batch_wait_timeout_ms batch_wait_timeout_iters batch_wait_max_tokens_ratio force_dynamic_quantization
    garbage_collection_gen0_threshold mm_encoder_only encode_only encoder_max_batch_size
    encoder_max_num_tokens ray_worker_extension_cls ray_placement_config ray_worker_nsight_options
    use_cute_dsl_blockscaling_mm use_cute_dsl_blockscaling_bmm use_cute_dsl_bf16_bmm use_cute_dsl_bf16_gemm
    video_pruning_rate post_processor_hook kv_cache_compression_config num_serve_frontends
    perf_metrics_output_dir generation_config encoder_cuda_graph_config
    enable_encoder_decoder_mixed_cuda_graph multimodal_config enable_return_routed_experts
    enable_mla_skip_correction mla_skip_correction_threshold enable_in_graph_sampling
    enable_low_latency_host_dispatch enable_tokenization_cache prefill_cuda_graph_backend
    prefill_capture_num_tokens use_fine_grained_sync checkpoint_io_policy disable_mm_encoder
    """
)
"""Settings at the top level."""

ENGINE_BLOCK_KEYS: Mapping[str, frozenset[str]] = {
    "kv_cache_config": _names(
        """
            enable_block_reuse max_tokens max_attention_window sink_token_length free_gpu_memory_fraction
            host_cache_size cross_kv_cache_fraction secondary_offload_min_priority event_buffer_max_size
            attention_dp_events_gather_period_ms enable_partial_reuse copy_on_partial_reuse use_uvm
            max_gpu_total_bytes iteration_stats_interval dtype tokens_per_block mamba_ssm_cache_dtype
            mamba_ssm_stochastic_rounding mamba_ssm_philox_rounds mamba_state_cache_interval
            use_kv_cache_manager_v2 max_util_for_resume enable_kv_pool_rebalance avg_seq_len
            block_reuse_policy disk_cache_size disk_prefetch_num_reqs enable_swa_scratch_reuse
            kv_cache_event_hash_algo pool_ratio disk_cache_path kv_events_config mamba_state_config
            block_reuse_config fp8_context_mla_kv_len_cap
            """
    ),
    "cuda_graph_config": _names(
        """
            batch_sizes max_batch_size enable_padding mode num_tokens max_num_token seq_lens max_seq_len
            """
    ),
    "moe_config": _names(
        """
            backend max_num_tokens load_balancer disable_finalize_fusion use_low_precision_moe_combine
            """
    ),
    "attention_dp_config": _names(
        """
            enable_balance timeout_iters batching_wait_iters enable_kv_cache_aware_routing
            kv_cache_routing_account_for_in_transfer kv_cache_routing_cold_start_warmup
            kv_cache_routing_conversation_affinity kv_cache_routing_fair_share_multiplier
            kv_cache_routing_load_balance_weight kv_cache_routing_match_rate_threshold
            kv_cache_routing_max_sessions kv_cache_routing_new_conv_placement
            """
    ),
    "cache_transceiver_config": _names(
        """
            backend transceiver_runtime max_tokens_in_buffer kv_transfer_timeout_ms
            kv_transfer_sender_future_timeout_ms kv_transfer_poll_interval_ms kv_cache_bounce_size_mb
            enable_pipelined_transfer agent_bounce_buffer_enable agent_bounce_params
            """
    ),
    "scheduler_config": _names(
        """
            capacity_scheduler_policy context_chunking_policy dynamic_batch_config waiting_queue_policy
            use_python_scheduler enable_prefix_aware_scheduling
            """
    ),
}
"""Block at the top level -> settings inside it; blocks whose settings depend on a choice are not listed."""

ENGINE_CHOICES: Mapping[tuple[str, ...], frozenset[str]] = {
    ("load_format",): frozenset({"AUTO", "DUMMY", "VISION_ONLY", "GMS"}),
    ("guided_decoding_backend",): frozenset({"xgrammar", "llguidance"}),
    # ai-dynamo 1.2.1 dynamo/trtllm/engine.py; NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py.
    ("backend",): frozenset({"pytorch", "_autodeploy", "autodeploy", "tensorrt", "trt"}),
    ("orchestrator_type",): frozenset({"rpc", "ray"}),
}
"""Setting that no recipe writes -> the texts that the engine accepts, small letters for capitals too."""

TENSORRT_LLM_LINES: Collection[ReleaseLine] = frozenset({(1, 0), (1, 1), (1, 2)})
"""The lines of Dynamo with TensorRT-LLM of January to June 2026, whose files agree with each other."""
REFUSED_WORDS: Mapping[tuple[str, ...], Mapping[str, Collection[ReleaseLine]]] = {
    ("moe_config", "backend"): {
        # NVIDIA/TensorRT-LLM#17119 (after 2026-07-31) and #17797 took it away.
        "WIDEEP": frozenset({(1, 5), (1, 6)}),
        "MARLIN": TENSORRT_LLM_LINES,
        "MEGAMOE_DEEPGEMM": TENSORRT_LLM_LINES,
        "MEGAMOE_CUTEDSL": TENSORRT_LLM_LINES | {(1, 4)},
    },
    ("cache_transceiver_config", "transceiver_runtime"): {"auto": TENSORRT_LLM_LINES},
    ("kv_cache_config", "use_kv_cache_manager_v2"): {"auto": TENSORRT_LLM_LINES},
    # NVIDIA/TensorRT-LLM#12483 (2026-04); in which line it came was not read.
    ("scheduler_config", "context_chunking_policy"): {"FORCE_CHUNK": frozenset()},
}
"""Setting -> word that some release takes and another does not -> the lines that refuse it, as far as was
read. Words that stand neither here nor in the options no line takes."""

DEFAULT_TOKENS_PER_BLOCK = 32
"""Tokens of one block of the KV cache where the engine file does not say."""
DEFAULT_MAX_BATCH_SIZE = 2048
DEFAULT_MAX_NUM_TOKENS = 8192
DEFAULT_CUDA_GRAPH_BATCH_SIZE = 128
"""Largest batch with a CUDA graph where nobody says."""


_Default = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command line, and the engine setting behind it."""

    flags: tuple[str, ...]
    """Names of the option; the last one given on a command line wins."""
    setting: tuple[str, ...]
    """Path of the engine setting; empty where the option is no engine setting."""
    default: _Default = None
    """Of the flag; None: the engine's own default holds."""
    variable: str | None = None
    """Environment variable that acts where no flag does; None without one."""
    is_switch: bool = False


def _dynamo(name: str, *setting: str, default: _Default = None) -> Option:
    variable = f"DYN_TRTLLM_{name.replace('-', '_').upper()}"
    return Option((f"--{name}",), setting, default, variable, isinstance(default, bool))


OVERRIDE_ENGINE_ARGS = _dynamo("override-engine-args", default="")
DYNAMIC_PREFIX = "--trtllm."
"""How a flag begins that overrides the engine option whose dotted path follows."""
_DYNAMO = (
    _dynamo("tensor-parallel-size", "tensor_parallel_size", default=1),
    _dynamo("pipeline-parallel-size", "pipeline_parallel_size", default=1),
    _dynamo("expert-parallel-size", "moe_expert_parallel_size"),
    _dynamo("enable-attention-dp", "enable_attention_dp", default=False),
    _dynamo("gpus-per-node", "gpus_per_node"),
    _dynamo("max-batch-size", "max_batch_size", default=DEFAULT_MAX_BATCH_SIZE),
    _dynamo("max-num-tokens", "max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS),
    _dynamo("max-seq-len", "max_seq_len"),
    _dynamo("max-beam-width", "max_beam_width", default=1),
    _dynamo("free-gpu-memory-fraction", "kv_cache_config", "free_gpu_memory_fraction", default=0.9),
    _dynamo("load-format", "load_format"),
    _dynamo("guided-decoding-backend", "guided_decoding_backend"),
)
_SERVE = (
    Option(("--tp_size", "--tensor_parallel_size"), ("tensor_parallel_size",), 1),
    Option(("--pp_size", "--pipeline_parallel_size"), ("pipeline_parallel_size",), 1),
    Option(("--cp_size", "--context_parallel_size"), ("context_parallel_size",), 1),
    Option(("--ep_size", "--moe_expert_parallel_size"), ("moe_expert_parallel_size",)),
    Option(("--max_batch_size",), ("max_batch_size",), DEFAULT_MAX_BATCH_SIZE),
    Option(("--max_num_tokens",), ("max_num_tokens",), DEFAULT_MAX_NUM_TOKENS),
    Option(("--max_seq_len",), ("max_seq_len",)),
    Option(("--max_beam_width",), ("max_beam_width",), 1),
    Option(("--gpus_per_node",), ("gpus_per_node",)),
    Option(("--moe_backend",), ("moe_config", "backend")),
    Option(
        ("--kv_cache_free_gpu_memory_fraction", "--free_gpu_memory_fraction"),
        ("kv_cache_config", "free_gpu_memory_fraction"),
        0.9,
    ),
    Option(("--reasoning_parser",), ("reasoning_parser",)),
    Option(("--num_postprocess_workers",), ("num_postprocess_workers",), 0),
)
OPTIONS: Mapping[str, Mapping[tuple[str, ...], Option]] = {
    "dynamo.trtllm": {option.setting: option for option in _DYNAMO},
    "trtllm-serve": {option.setting: option for option in _SERVE},
}
"""Command -> engine setting -> the option that sets it where the engine file has no other value."""
FILE_OPTIONS: Mapping[str, Option] = {
    "dynamo.trtllm": _dynamo("extra-engine-args", default=""),
    "trtllm-serve": Option(("--extra_llm_api_options", "--config"), (), ""),
}
"""Command -> the option that names its engine file."""

TRTLLM_SERVE_ALIKE = ((0, 20), (1, 3))
"""First and last release line between which trtllm-serve writes its options with underscores and listens on
localhost unless told otherwise (serve.py of the middle of 2025 in the fork BatshevaBlack/TensorRT-LLM at
385a1b9, and at 00209af); the list of its options was read from the last one."""
# NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 00209af, and in the forks chuangz0/TensorRT-LLM at
# eb97997 and connorcarpenter15/TensorRT-LLM at 8f029f1.
TRTLLM_SERVE_FLAGS = frozenset(
    f"--{name}"
    for name in _names(
        """
    tokenizer custom_tokenizer host port backend log_level max_beam_width max_batch_size max_num_tokens
    max_seq_len tensor_parallel_size tp_size pipeline_parallel_size pp_size context_parallel_size cp_size
    moe_expert_parallel_size ep_size moe_cluster_parallel_size gpus_per_node free_gpu_memory_fraction
    kv_cache_free_gpu_memory_fraction kv_cache_dtype num_postprocess_workers trust_remote_code hf_revision
    extra_llm_api_options reasoning_parser tool_parser server_role otlp_traces_endpoint enable_chunked_prefill
    enable_attention_dp chat_template served_model_name
        """
    )
)
"""Options of trtllm-serve that have underscores and no dashes; there are others for media and agents."""
