"""Buffers and blocks of the KV cache that prefill hands to decode."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, engine_file
from tests.rules.serving_edits import DECODE, PREFILL, main

ALIGNED = "transfer-buffer-aligned"
PROMPT = "transfer-buffer-holds-the-prompt"
SENT = "transfer-buffer-holds-the-benchmark"
SET = "transfer-buffer-set"
BLOCKS = "tokens-per-block-equal"
REUSE = "block-reuse-with-transfer"
TRANSCEIVER = "transceiver-fits-backend"
BOTH = f"{PREFILL}, {DECODE}"

_BUFFER = "cache_transceiver_config.max_tokens_in_buffer"
_RUNTIME = "cache_transceiver_config.transceiver_runtime"
_SECOND_MANAGER = "kv_cache_config.use_kv_cache_manager_v2"
_IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"


def _buffers(tokens: int) -> tuple[Edit, ...]:
    return engine_file("prefill.yaml", _BUFFER, tokens), engine_file("decode.yaml", _BUFFER, tokens)


CASES = (
    Case(
        ALIGNED,
        "a buffer that ends inside a block",
        "disagg-b200",
        (engine_file("prefill.yaml", _BUFFER, 9220),),
        failed(ALIGNED, PREFILL),
        (
            "max_tokens_in_buffer 9220 (prefill.yaml",
            "no multiple of tokens_per_block 32",
            "the next one is 9248",
        ),
    ),
    Case(
        ALIGNED,
        "blocks larger than a part of the buffer",
        "disagg-b200",
        tuple(
            edit
            for file in ("prefill.yaml", "decode.yaml")
            for edit in (
                engine_file(file, "kv_cache_config.tokens_per_block", 128),
                engine_file(file, _BUFFER, 9280),
            )
        ),
        failed(ALIGNED, PREFILL, DECODE),
        ("no multiple of tokens_per_block 128 (decode.yaml", "the next one is 9344"),
    ),
    Case(
        ALIGNED,
        "sequences that end inside a block, and size the buffer",
        "disagg-b200",
        (
            engine_file("prefill.yaml", _BUFFER, remove=True),
            engine_file("prefill.yaml", "max_seq_len", 9001),
        ),
        failed(ALIGNED, PREFILL),
        ("max_seq_len, which stands for it, 9001 (prefill.yaml", "the next one is 9024"),
    ),
    Case(
        ALIGNED,
        "the same of a release that nobody has read",
        "disagg-b200",
        (
            engine_file("prefill.yaml", _BUFFER, remove=True),
            engine_file("prefill.yaml", "max_seq_len", 9001),
            main(PREFILL, "image", "example.com/ours:of-today"),
        ),
        undecided(ALIGNED, PREFILL),
    ),
    Case(
        PROMPT,
        "a buffer below the longest prompt that does not grow",
        "disagg-gb200",
        _buffers(8192),
        failed(PROMPT, PREFILL, DECODE),
        (
            "holds 8192 tokens (prefill.yaml",
            "prefill admits prompts of 8999 (prefill.yaml",
            "less one token of an answer)",
            "buffers of NIXL do not grow",
        ),
    ),
    Case(PROMPT, "a buffer below the longest prompt that grows", "disagg-b200", _buffers(8192), frozenset()),
    Case(PROMPT, "buffers as they are needed", "disagg-b200", _buffers(0), frozenset()),
    Case(
        PROMPT,
        "buffers as they are needed, which the backend does not make",
        "disagg-gb200",
        _buffers(0),
        failed(PROMPT, PREFILL, DECODE),
        ("holds 0 tokens (prefill.yaml",),
    ),
    Case(
        PROMPT,
        "a step that admits less than the buffer holds",
        "disagg-b200",
        (*_buffers(8448), engine_file("prefill.yaml", "max_num_tokens", 8448)),
        frozenset(),
    ),
    Case(
        PROMPT,
        "prompts in chunks, as long as the model",
        "disagg-gb200",
        (
            engine_file("prefill.yaml", "max_seq_len", remove=True),
            engine_file("prefill.yaml", "enable_chunked_prefill", True),
        ),
        failed(PROMPT, PREFILL, DECODE),
        ("prefill admits prompts of 131071 (the length that gpt-oss-120b was made for, less",),
    ),
    Case(
        PROMPT,
        "a length that is no number",
        "disagg-b200",
        (engine_file("prefill.yaml", "max_seq_len", "long"),),
        undecided(PROMPT, BOTH),
    ),
    Case(
        SENT,
        "NIXL with a buffer below what the benchmark sends",
        "disagg-gb200",
        _buffers(4096),
        failed(SENT, PREFILL, DECODE),
        (
            "holds 4096 tokens (decode.yaml",
            "gpt-oss-120b-disagg-bench sends prompts of 8192 (--synthetic-input-tokens-mean) by NIXL",
        ),
    ),
    Case(
        SENT,
        "NIXL with a buffer of exactly what the benchmark sends",
        "disagg-gb200",
        _buffers(8192),
        frozenset(),
    ),
    Case(
        SET,
        "buffers as large as the longest sequence",
        "disagg-b200",
        (engine_file("decode.yaml", _BUFFER, remove=True),),
        failed(SET, DECODE),
        ("each buffer holds max_seq_len tokens: 11000 (decode.yaml", "which is 0.2 GiB for two buffers"),
    ),
    Case(
        SET,
        "buffers as large as the model's longest sequence",
        "disagg-b200",
        (
            engine_file("prefill.yaml", _BUFFER, remove=True),
            engine_file("prefill.yaml", "max_seq_len", remove=True),
        ),
        failed(SET, PREFILL),
        ("131072 (the length that gpt-oss-120b was made for), which is 9.0 GiB for two buffers",),
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
        BLOCKS,
        "the default written down on one side",
        "disagg-b200",
        (engine_file("prefill.yaml", "kv_cache_config.tokens_per_block", 32),),
        frozenset(),
    ),
    Case(
        BLOCKS,
        "blocks of a size that is no number",
        "disagg-b200",
        (engine_file("prefill.yaml", "kv_cache_config.tokens_per_block", "many"),),
        undecided(BLOCKS, BOTH),
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
        "blocks for reuse where nothing is transferred",
        "agg-gb200",
        (engine_file("worker.yaml", "kv_cache_config.enable_block_reuse", True),),
        frozenset(),
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
        frozenset(),
    ),
    Case(
        TRANSCEIVER,
        "UCX with the Python transceiver",
        "disagg-b200",
        (engine_file("prefill.yaml", _RUNTIME, "PYTHON"),),
        failed(TRANSCEIVER, PREFILL),
        ("transfers by UCX with the Python transceiver (prefill.yaml",),
    ),
    Case(
        TRANSCEIVER,
        "NIXL with the Python transceiver",
        "disagg-b200",
        tuple(
            edit
            for file in ("prefill.yaml", "decode.yaml")
            for edit in (
                engine_file(file, "cache_transceiver_config.backend", "NIXL"),
                engine_file(file, _RUNTIME, "PYTHON"),
            )
        ),
        frozenset(),
    ),
    Case(
        TRANSCEIVER,
        "UCX on a release whose engine chooses the transceiver",
        "disagg-b200",
        (main(PREFILL, "image", f"{_IMAGE}:1.6.2"), main(DECODE, "image", f"{_IMAGE}:1.6.2")),
        failed(TRANSCEIVER, PREFILL, DECODE),
        ("transfers by UCX and names no transceiver, so its engine may choose the Python one",),
    ),
    Case(
        TRANSCEIVER,
        "UCX there with the C++ transceiver",
        "disagg-b200",
        (
            main(PREFILL, "image", f"{_IMAGE}:1.6.2"),
            main(DECODE, "image", f"{_IMAGE}:1.6.2"),
            engine_file("prefill.yaml", _RUNTIME, "CPP"),
            engine_file("decode.yaml", _RUNTIME, "CPP"),
        ),
        frozenset(),
    ),
    Case(
        TRANSCEIVER,
        "the C++ transceiver and the cache of another manager",
        "disagg-b200",
        (
            engine_file("decode.yaml", _RUNTIME, "CPP"),
            engine_file("decode.yaml", _SECOND_MANAGER, value=True),
        ),
        failed(TRANSCEIVER, DECODE),
        ("has the C++ transceiver (decode.yaml", "the second manager of the KV cache"),
    ),
)
