"""Buffers and blocks of the KV cache that prefill hands to decode."""

from tests.rules.case import On
from tests.rules.edits import Edit, engine_file
from tests.rules.names import DECODE, PREFILL

ALIGNED = "transfer-buffer-holds-the-prompt"

_BUFFER = "cache_transceiver_config.max_tokens_in_buffer"
_RUNTIME = "cache_transceiver_config.transceiver_runtime"


def _buffers(tokens: int) -> tuple[Edit, ...]:
    return engine_file("prefill.yaml", _BUFFER, tokens), engine_file("decode.yaml", _BUFFER, tokens)


CASES = (
    On(ALIGNED, "disagg-gb200", PREFILL, DECODE).fails(
        "a buffer below the longest prompt that does not grow",
        "holds 8192 tokens (prefill.yaml",
        "prefill admits prompts of 8999 (prefill.yaml",
        "less one token of an answer)",
        "buffers of NIXL do not grow",
        _buffers(8192),
    ),
    On(ALIGNED, "disagg-b200").passes("a buffer below the longest prompt that grows", _buffers(8192)),
    On(ALIGNED, "disagg-gb200", PREFILL, DECODE).fails(
        "prompts in chunks, as long as the model",
        "prefill admits prompts of 131071 (the length that gpt-oss-120b was made for, less",
        engine_file("prefill.yaml", "max_seq_len", remove=True),
        engine_file("prefill.yaml", "enable_chunked_prefill", True),
    ),
    On("prefill-and-decode-agree", "disagg-b200", f"{PREFILL}, {DECODE}").fails(
        "blocks of two sizes",
        ("TrtllmPrefillWorker 64 (prefill.yaml", "TrtllmDecodeWorker 32 (the engine's default)"),
        engine_file("prefill.yaml", "kv_cache_config.tokens_per_block", 64),
    ),
    On("kv-transfer-is-safe", "disagg-b200", PREFILL, DECODE).fails(
        "blocks for reuse by default, and transceivers that do not go with UCX or the cache",
        "enable_block_reuse true, the engine's default",
        "transfers it by UCX",
        engine_file("prefill.yaml", "kv_cache_config.enable_block_reuse", remove=True),
        "transfers by UCX with the Python transceiver (prefill.yaml",
        engine_file("prefill.yaml", _RUNTIME, "PYTHON"),
        "has the C++ transceiver (decode.yaml",
        "the second manager of the KV cache",
        engine_file("decode.yaml", _RUNTIME, "CPP"),
        engine_file("decode.yaml", "kv_cache_config.use_kv_cache_manager_v2", value=True),
    ),
    On("kv-transfer-is-safe", "agg-gb200").passes(
        "blocks for reuse of a worker that could transfer its cache, and has no other to send it to",
        engine_file("worker.yaml", "kv_cache_config.enable_block_reuse", True),
        engine_file(
            "worker.yaml", "cache_transceiver_config", {"backend": "DEFAULT", "max_tokens_in_buffer": 8192}
        ),
    ),
)
