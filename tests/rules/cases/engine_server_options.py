"""Options with which a server ends at start, and of a router that knows what the engines have cached."""

from tests.rules.case import On
from tests.rules.edits import add, engine_file, put
from tests.rules.names import FRONTEND, GRAPH, SERVER, VLLM_ARGS, WORKER
from tests.rules.serving_edits import command, worker_flags

FLAGS = "flags-exist"
BLOCKS = "kv-router-knows-the-cache"
_ROUND_ROBIN = "--router-mode round-robin"
_VLLM_FRONTEND = "spec.components[0].podTemplate.spec.containers[0].args"

CASES = (
    On(FLAGS, "vllm-serve", "engine").fails(
        "Dynamo's names of the parsers",
        "gpt_oss, a name of Dynamo's or SGLang's: vllm serve calls the parser of gpt-oss openai_gptoss",
        "--tool-call-parser is harmony",
        put("Deployment", f"{SERVER}.args[9]", "--reasoning_parser=gpt_oss"),
        put("Deployment", f"{SERVER}.args[10]", "--tool-call-parser=harmony"),
    ),
    On(FLAGS, "vllm-serve", "engine").fails(
        "a choice of tools without a parser",
        "--enable-auto-tool-choice stands without --tool-call-parser",
        put("Deployment", f"{SERVER}.args[10]", "--port=8000"),
    ),
    On(FLAGS, "vllm-serve", "engine").is_undecided(
        "a choice of tools whose parser a variable may name",
        "a word of the command line is unknown and might set --tool-call-parser",
        put("Deployment", f"{SERVER}.args[10]", "--enable-auto-tool-choice"),
        put("Deployment", f"{SERVER}.args[11]", "$(MORE_OPTIONS)"),
        put("Deployment", f"{SERVER}.envFrom", [{"configMapRef": {"name": "options"}}]),
    ),
    On(FLAGS, "vllm-serve", "engine").is_undecided(
        "a choice of tools whose parser a file may name",
        "the engine file /etc/vllm.yaml lies in no mounted volume",
        put("Deployment", f"{SERVER}.args[10]", "--config=/etc/vllm.yaml"),
    ),
    On(FLAGS, "vllm-serve", "engine").fails(
        "a number format that no release of vLLM takes",
        ("--dtype is fp16", "one of auto, bfloat16, float, float16, float32, half"),
        put("Deployment", f"{SERVER}.image", "docker.io/vllm/vllm-openai:v0.11.0"),
        add("Deployment", f"{SERVER}.args", "--dtype=fp16"),
    ),
    On(BLOCKS, "agg-gb200", WORKER).fails(
        "a worker that tells of other blocks than it has",
        ("--kv-block-size 64 tells the router of other blocks", "tokens_per_block 32 (the engine's default)"),
        command(FRONTEND, _ROUND_ROBIN, "--router-mode kv --no-router-kv-events"),
        worker_flags(WORKER, "--kv-block-size 64"),
    ),
    On(BLOCKS, "vllm-agg", FRONTEND).fails(
        "blocks of another size than vLLM's",
        "--kv-cache-block-size 64, but blocks of VllmWorker have 16 tokens (--block-size)",
        put(GRAPH, f"{_VLLM_FRONTEND}[3]", "kv"),
        put(GRAPH, f"{_VLLM_FRONTEND}[4]", "--kv-cache-block-size=64"),
        put(GRAPH, f"{_VLLM_FRONTEND}[5]", "--http-port=8000"),
        put(GRAPH, f"{VLLM_ARGS}[8]", "--block-size=16"),
    ),
    On(BLOCKS, "agg-gb200").passes(
        "blocks of one size everywhere",
        command(FRONTEND, _ROUND_ROBIN, "--router-mode kv --kv-cache-block-size 64"),
        worker_flags(WORKER, "--publish-events-and-metrics --kv-block-size 64"),
        engine_file("worker.yaml", "kv_cache_config.tokens_per_block", 64),
    ),
    On(BLOCKS, "agg-gb200", WORKER).fails(
        "workers that publish nothing",
        "publishes no KV events, although Frontend routes by them",
        command(FRONTEND, _ROUND_ROBIN, "--router-mode kv"),
    ),
)
