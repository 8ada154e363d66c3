"""A router that knows what the engines have cached."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import engine_file, put
from tests.rules.serving_edits import FRONTEND, GRAPH, WORKER, command, worker_flags

BLOCKS = "kv-router-knows-the-cache"

_ROUND_ROBIN = "--router-mode round-robin"
_VLLM_FRONTEND = "spec.components[0].podTemplate.spec.containers[0].args"
_VLLM_WORKER = "spec.components[1].podTemplate.spec.containers[0].args"

CASES = (
    Case(
        BLOCKS,
        "a worker that tells of other blocks than it has",
        "agg-gb200",
        (
            command(FRONTEND, _ROUND_ROBIN, "--router-mode kv --no-router-kv-events"),
            worker_flags(WORKER, "--kv-block-size 64"),
        ),
        failed(BLOCKS, WORKER),
        ("--kv-block-size 64 tells the router of other blocks", "tokens_per_block 32 (the engine's default)"),
    ),
    Case(
        BLOCKS,
        "blocks of another size than vLLM's",
        "vllm-agg",
        (
            put(GRAPH, f"{_VLLM_FRONTEND}[3]", "kv"),
            put(GRAPH, f"{_VLLM_FRONTEND}[4]", "--kv-cache-block-size=64"),
            put(GRAPH, f"{_VLLM_FRONTEND}[5]", "--http-port=8000"),
            put(GRAPH, f"{_VLLM_WORKER}[8]", "--block-size=16"),
        ),
        failed(BLOCKS, FRONTEND),
        ("--kv-cache-block-size 64, but blocks of VllmWorker have 16 tokens (--block-size)",),
    ),
    Case(
        BLOCKS,
        "blocks of one size everywhere",
        "agg-gb200",
        (
            command(FRONTEND, _ROUND_ROBIN, "--router-mode kv --kv-cache-block-size 64"),
            worker_flags(WORKER, "--publish-events-and-metrics --kv-block-size 64"),
            engine_file("worker.yaml", "kv_cache_config.tokens_per_block", 64),
        ),
    ),
    Case(
        BLOCKS,
        "a size in words",
        "agg-gb200",
        (command(FRONTEND, _ROUND_ROBIN, "--router-mode kv --kv-cache-block-size large"),),
        undecided(BLOCKS, FRONTEND),
    ),
    Case(
        BLOCKS,
        "workers that publish nothing",
        "agg-gb200",
        (command(FRONTEND, _ROUND_ROBIN, "--router-mode kv"),),
        failed(BLOCKS, WORKER),
        ("publishes no KV events, although Frontend routes by them",),
    ),
)
