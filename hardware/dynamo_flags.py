"""Options of Dynamo's own commands, as release 1.2.1 takes them.

An option that a command does not know ends it at start. dynamo.vllm is not listed: it takes vLLM's options
beside its own.
"""

from collections.abc import Mapping
from types import MappingProxyType

from hardware.source import DYNAMO_ARGUMENTS, Source

DYNAMO_FLAGS_SOURCE: Source = DYNAMO_ARGUMENTS
DYNAMO_FLAGS_LINE = (1, 2)
"""Release line that the lists of Dynamo's commands were read from."""
TRTLLM_SERVE_FLAGS_LINE = (1, 3)
"""Release line that the list of trtllm-serve's options was read from."""


def _flags(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())


_OF_EVERY_WORKER = _flags(
    """
    namespace endpoint discovery-backend request-plane event-plane connector durable-kv-events
    dyn-tool-call-parser dyn-reasoning-parser exclude-tools-when-tool-choice-none custom-jinja-template
    endpoint-types dyn-endpoint-types dump-config-to multimodal-embedding-cache-capacity-gb output-modalities
    media-output-fs-url media-output-http-url help
    """
)

DYNAMO_FLAGS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "dynamo.trtllm": _OF_EVERY_WORKER
        | _flags(
            """
            model model-path served-model-name tensor-parallel-size pipeline-parallel-size
            expert-parallel-size enable-attention-dp kv-block-size gpus-per-node max-batch-size max-num-tokens
            max-seq-len max-beam-width free-gpu-memory-fraction extra-engine-args override-engine-args
            publish-events-and-metrics load-format disaggregation-mode guided-decoding-backend revision
            model-loader-extra-config modality encode-endpoint allowed-local-media-path max-file-size-mb
            frontend-decoding quant-algo attn-backend enable-cuda-graph
            """
        ),
        "dynamo.frontend": _flags(
            """
            interactive namespace discovery-backend request-plane event-plane dump-config-to
            exclude-tools-when-tool-choice-none namespace-prefix http-host http-port tls-cert-path
            tls-key-path kv-cache-block-size serve-indexer use-remote-indexer enforce-disagg load-aware
            active-decode-blocks-threshold active-prefill-tokens-threshold
            active-prefill-tokens-threshold-frac
            router-mode router-min-initial-workers router-kv-overlap-score-credit
            router-kv-overlap-score-weight router-prefill-load-scale router-prefill-load-model
            router-temperature router-kv-events router-durable-kv-events router-replica-sync
            router-track-active-blocks router-track-output-blocks router-track-prefill-tokens
            router-assume-kv-reuse router-snapshot-threshold router-reset-states router-ttl-secs
            router-queue-threshold router-queue-policy router-event-threads kv-events kv-overlap-score-weight
            shared-cache-type shared-cache-multiplier aic-backend aic-system aic-backend-version aic-tp-size
            aic-model-path migration-limit migration-max-seq-len model-name model-path metrics-prefix
            kserve-grpc-server grpc-metrics-port enable-anthropic-api enable-streaming-tool-dispatch
            enable-streaming-reasoning-dispatch strip-anthropic-preamble dyn-chat-processor
            dyn-preprocess-workers dyn-debug-perf tokenizer trust-remote-code help
            """
        ),
    }
)
"""Command -> its options; a switch also has a form with `--no-`."""

DYNAMO_FLAG_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"dynamo.trtllm": ("--trtllm.", "--dit-"), "dynamo.frontend": ()}
)
"""Command -> how further options begin."""

REMOVED_FLAGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "dynamo.trtllm": MappingProxyType(
            {
                "--disaggregation-strategy": "leave it out: every disaggregated request starts in prefill",
                "--store-kv": "write --discovery-backend",
            }
        ),
        "dynamo.frontend": MappingProxyType({"--store-kv": "write --discovery-backend"}),
        "trtllm-serve": MappingProxyType({"--moe_backend": "write moe_config.backend in the engine file"}),
        "dynamo.vllm": MappingProxyType(
            {
                "--connector": "write --kv-transfer-config with a kv_connector",
                "--store-kv": "write --discovery-backend",
            }
        ),
    }
)
"""Command -> option that older guides name -> what to write instead."""

# NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py at 00209af, and in the forks chuangz0/TensorRT-LLM at
# eb97997 and connorcarpenter15/TensorRT-LLM at 8f029f1.
TRTLLM_SERVE_FLAGS: frozenset[str] = _flags(
    """
    tokenizer custom_tokenizer host port backend log_level max_beam_width max_batch_size max_num_tokens
    max_seq_len tensor_parallel_size tp_size pipeline_parallel_size pp_size context_parallel_size cp_size
    moe_expert_parallel_size ep_size moe_cluster_parallel_size gpus_per_node free_gpu_memory_fraction
    kv_cache_free_gpu_memory_fraction kv_cache_dtype num_postprocess_workers trust_remote_code hf_revision
    extra_llm_api_options reasoning_parser tool_parser server_role otlp_traces_endpoint enable_chunked_prefill
    enable_attention_dp chat_template served_model_name
    """
)
"""Options of trtllm-serve that have underscores and no dashes; there are others for media and agents."""

DEPRECATED_FLAGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "dynamo.vllm": MappingProxyType(
            {
                "--is-prefill-worker": "write --disaggregation-mode prefill",
                "--is-decode-worker": "write --disaggregation-mode decode",
            }
        ),
        "trtllm-serve": MappingProxyType(
            {
                "--moe_cluster_parallel_size": "leave it out",
                "--revision": "write --hf_revision",
            }
        ),
    }
)
"""Command -> option that still works -> what to write instead."""

DISAGGREGATION_MODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "dynamo.trtllm": ("prefill_and_decode", "prefill", "decode", "encode"),
        "dynamo.vllm": ("agg", "prefill", "decode", "encode"),
    }
)
"""Command -> values of --disaggregation-mode."""
