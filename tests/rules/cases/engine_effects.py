"""Settings that contradict each other, or do nothing."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import engine_file, put
from tests.rules.serving_edits import DECODE, PREFILL, SERVER_ARGS, WORKER, worker_flags

EFFECT = "engine-settings-accepted"
GRAPHS = "cuda-graphs-cover-batches"
OVERLAP = "kv-transfer-is-safe"
STEP = "sequence-length-within-model"


CASES = (
    Case(
        STEP,
        "sequences that TensorRT-LLM admits beyond the model",
        "agg-gb200",
        (engine_file("worker.yaml", "max_seq_len", 200_000),),
        failed(STEP, "TrtllmWorker"),
        ("admits sequences of 200000 tokens (worker.yaml", "but gpt-oss-120b was made for 131072"),
    ),
    Case(
        EFFECT,
        "balance between ranks that there are not",
        "disagg-b200",
        (engine_file("decode.yaml", "attention_dp_config", {"enable_balance": True}),),
        failed(EFFECT, DECODE),
        ("attention_dp_config in decode.yaml", "enable_attention_dp is false (decode.yaml of ConfigMap"),
    ),
    Case(
        EFFECT,
        "a fraction that an override of its block loses",
        "agg-gb200",
        (
            worker_flags(
                WORKER,
                "--free-gpu-memory-fraction 0.85 --trtllm.kv_cache_config.enable_block_reuse false",
            ),
        ),
        failed(EFFECT, WORKER),
        ("--free-gpu-memory-fraction 0.85 has no effect", "what acts is the engine's default"),
    ),
    Case(
        EFFECT,
        "a flag of trtllm-serve",
        "trtllm-serve",
        (engine_file("max_throughput.yaml", "max_batch_size", 512),),
        failed(EFFECT, "engine"),
        ("--max_batch_size 640 has no effect on max_batch_size: what acts is 512",),
    ),
    Case(
        EFFECT,
        "a switch that is no switch",
        "agg-gb200",
        (
            engine_file("worker.yaml", "enable_attention_dp", 7),
            engine_file("worker.yaml", "attention_dp_config", {"enable_balance": True}),
        ),
        failed(EFFECT, WORKER) | undecided(EFFECT, WORKER),
        ("enable_attention_dp in worker.yaml",),
    ),
    Case(
        GRAPHS,
        "graphs that end below the largest batch",
        "disagg-b200",
        (engine_file("decode.yaml", "cuda_graph_config.max_batch_size", 640),),
        failed(GRAPHS, DECODE),
        ("has CUDA graphs up to a batch of 640 (decode.yaml", "batches reach 1280 (decode.yaml"),
    ),
    Case(
        GRAPHS,
        "graphs of a prefill worker, which never runs one",
        "disagg-b200",
        (engine_file("prefill.yaml", "cuda_graph_config.max_batch_size", 8),),
    ),
    Case(
        GRAPHS,
        "no graphs at all, as somebody chose",
        "disagg-b200",
        (engine_file("decode.yaml", "cuda_graph_config", None),),
    ),
    Case(
        OVERLAP,
        "prefill with the overlap scheduler",
        "disagg-b200",
        (engine_file("prefill.yaml", "disable_overlap_scheduler", False),),
        failed(OVERLAP, PREFILL),
        ("disable_overlap_scheduler false (prefill.yaml",),
    ),
    Case(
        STEP,
        "a step that nobody chose, and no chunks",
        "agg-gb200",
        (engine_file("worker.yaml", "enable_chunked_prefill", remove=True),),
        failed(STEP, WORKER),
        (
            "more than max_num_tokens 8192 (the default of --max-num-tokens) tokens",
            "promises 131072 (the length that gpt-oss-120b was made for)",
        ),
    ),
    Case(
        STEP,
        "a decode worker, which is sent no prompts",
        "disagg-b200",
        (engine_file("decode.yaml", "max_seq_len", 40_000),),
    ),
    Case(
        STEP,
        "the same under vLLM",
        "vllm-serve",
        (put("Deployment/vllm-serve", f"{SERVER_ARGS}[5]", "--max-model-len=200000"),),
        failed(STEP, "engine"),
        ("admits sequences of 200000 tokens (--max-model-len)",),
    ),
)
