"""Buffers and blocks of the KV cache that prefill hands to decode."""

from tests.rules.case import Case, failed
from tests.rules.edits import Edit, engine_file
from tests.rules.serving_edits import DECODE, PREFILL

ALIGNED = "transfer-buffer-holds-the-prompt"
BLOCKS = "prefill-and-decode-agree"
REUSE = "kv-transfer-is-safe"
BOTH = f"{PREFILL}, {DECODE}"

_BUFFER = "cache_transceiver_config.max_tokens_in_buffer"
_RUNTIME = "cache_transceiver_config.transceiver_runtime"
_SECOND_MANAGER = "kv_cache_config.use_kv_cache_manager_v2"


def _buffers(tokens: int) -> tuple[Edit, ...]:
    return engine_file("prefill.yaml", _BUFFER, tokens), engine_file("decode.yaml", _BUFFER, tokens)


CASES = (
    Case(
        ALIGNED,
        "a buffer below the longest prompt that does not grow",
        "disagg-gb200",
        _buffers(8192),
        failed(ALIGNED, PREFILL, DECODE),
        (
            "holds 8192 tokens (prefill.yaml",
            "prefill admits prompts of 8999 (prefill.yaml",
            "less one token of an answer)",
            "buffers of NIXL do not grow",
        ),
    ),
    Case(ALIGNED, "a buffer below the longest prompt that grows", "disagg-b200", _buffers(8192)),
    Case(
        ALIGNED,
        "prompts in chunks, as long as the model",
        "disagg-gb200",
        (
            engine_file("prefill.yaml", "max_seq_len", remove=True),
            engine_file("prefill.yaml", "enable_chunked_prefill", True),
        ),
        failed(ALIGNED, PREFILL, DECODE),
        ("prefill admits prompts of 131071 (the length that gpt-oss-120b was made for, less",),
    ),
    Case(
        BLOCKS,
        "blocks of two sizes",
        "disagg-b200",
        (engine_file("prefill.yaml", "kv_cache_config.tokens_per_block", 64),),
        failed(BLOCKS, BOTH),
        ("TrtllmPrefillWorker 64 (prefill.yaml", "TrtllmDecodeWorker 32 (the engine's default)"),
    ),
    Case(
        REUSE,
        "blocks for reuse by default",
        "disagg-b200",
        (engine_file("prefill.yaml", "kv_cache_config.enable_block_reuse", remove=True),),
        failed(REUSE, PREFILL),
        ("enable_block_reuse true, the engine's default", "transfers it by UCX"),
    ),
    Case(
        REUSE,
        "blocks for reuse of a worker that could transfer its cache, and has no other to send it to",
        "agg-gb200",
        (
            engine_file("worker.yaml", "kv_cache_config.enable_block_reuse", True),
            engine_file(
                "worker.yaml",
                "cache_transceiver_config",
                {"backend": "DEFAULT", "max_tokens_in_buffer": 8192},
            ),
        ),
    ),
    Case(
        REUSE,
        "UCX with the Python transceiver",
        "disagg-b200",
        (engine_file("prefill.yaml", _RUNTIME, "PYTHON"),),
        failed(REUSE, PREFILL),
        ("transfers by UCX with the Python transceiver (prefill.yaml",),
    ),
    Case(
        REUSE,
        "the C++ transceiver and the cache of another manager",
        "disagg-b200",
        (
            engine_file("decode.yaml", _RUNTIME, "CPP"),
            engine_file("decode.yaml", _SECOND_MANAGER, value=True),
        ),
        failed(REUSE, DECODE),
        ("has the C++ transceiver (decode.yaml", "the second manager of the KV cache"),
    ),
)
