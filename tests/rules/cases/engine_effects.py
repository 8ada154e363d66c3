"""Settings that contradict each other, or do nothing."""

from tests.rules.case import On
from tests.rules.edits import add, engine_file, put
from tests.rules.names import DECODE, PREFILL, SERVER, SERVER_ARGS, WORKER
from tests.rules.serving_edits import worker_flags

EFFECT = "engine-settings-accepted"
GRAPHS = "cuda-graphs-cover-batches"
STEP = "sequence-length-within-model"

CASES = (
    On(STEP, "agg-gb200", "TrtllmWorker", WORKER).advises(
        "sequences beyond the model, and prompts beyond a step in one piece",
        "admits sequences of 200000 tokens (worker.yaml",
        "but gpt-oss-120b was made for 131072",
        engine_file("worker.yaml", "max_seq_len", 200_000),
        "refuses prompts of more than max_num_tokens 1024 (worker.yaml",
        engine_file("worker.yaml", "max_num_tokens", 1024),
        engine_file("worker.yaml", "enable_chunked_prefill", value=False),
    ),
    On(EFFECT, "agg-gb200", WORKER).advises(
        "a fraction that an override of its block loses",
        ("--free-gpu-memory-fraction 0.85 has no effect", "what acts is the engine's default"),
        worker_flags(
            WORKER, "--free-gpu-memory-fraction 0.85 --trtllm.kv_cache_config.enable_block_reuse false"
        ),
    ),
    On(EFFECT, "trtllm-serve", "engine").advises(
        "a flag of trtllm-serve",
        "--max_batch_size 640 has no effect on max_batch_size: what acts is 512",
        engine_file("max_throughput.yaml", "max_batch_size", 512),
    ),
    On(EFFECT, "agg-gb200", WORKER).fails(
        "a switch that is no switch",
        "enable_attention_dp in worker.yaml",
        engine_file("worker.yaml", "enable_attention_dp", 7),
        engine_file("worker.yaml", "attention_dp_config", {"enable_balance": True}),
        undecided_for=(WORKER,),
    ),
    On(GRAPHS, "disagg-b200", DECODE).fails(
        "graphs that end below the largest batch",
        ("has CUDA graphs up to a batch of 640 (decode.yaml", "batches reach 1280 (decode.yaml"),
        engine_file("decode.yaml", "cuda_graph_config.max_batch_size", 640),
    ),
    On(GRAPHS, "disagg-b200").passes(
        "graphs of a prefill worker", engine_file("prefill.yaml", "cuda_graph_config.max_batch_size", 8)
    ),
    On(GRAPHS, "disagg-b200").passes(
        "no graphs at all, as somebody chose", engine_file("decode.yaml", "cuda_graph_config", None)
    ),
    On("kv-transfer-is-safe", "disagg-b200", PREFILL).fails(
        "prefill with the overlap scheduler",
        "disable_overlap_scheduler false (prefill.yaml",
        engine_file("prefill.yaml", "disable_overlap_scheduler", False),
    ),
    On(STEP, "disagg-b200").passes(
        "a decode worker, which is sent no prompts", engine_file("decode.yaml", "max_seq_len", 40_000)
    ),
    On(STEP, "vllm-serve", "engine").fails(
        "the same under vLLM",
        "admits sequences of 200000 tokens (--max-model-len)",
        put("Deployment/vllm-serve", f"{SERVER_ARGS}[5]", "--max-model-len=200000"),
    ),
    *(
        On(STEP, "vllm-serve").passes(name, put("Deployment/vllm-serve", f"{SERVER_ARGS}[5]", length), *edits)
        for name, length, *edits in (
            ("a length that vLLM reads as thousands", "--max-model-len=256k"),
            (
                "a length that its variable lets pass",
                "--max-model-len=200000",
                add("Deployment", f"{SERVER}.env", {"name": "VLLM_ALLOW_LONG_MAX_MODEL_LEN", "value": "1"}),
            ),
            (
                "a length of positions that somebody stretched",
                "--max-model-len=200000",
                add("Deployment", SERVER_ARGS, '--hf-overrides={"max_position_embeddings": 262144}'),
            ),
        )
    ),
    *(
        On(GRAPHS, "disagg-b200", DECODE).fails(
            name, f"up to a batch of {largest}", engine_file("decode.yaml", "cuda_graph_config", graphs)
        )
        for name, largest, graphs in (
            ("a list of graphs that ends below", "64 (decode.yaml", {"batch_sizes": [1, 64, 8]}),
            ("graphs of the engine's default size", "128 (the engine's default)", {"max_batch_size": 0}),
        )
    ),
    On(GRAPHS, "disagg-b200").passes(
        "graphs that end at the tokens of a step",
        engine_file("decode.yaml", "cuda_graph_config.max_batch_size", 640),
        engine_file("decode.yaml", "max_num_tokens", 640),
    ),
)
