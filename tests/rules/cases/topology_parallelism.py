"""Expert and pipeline parallelism, and NVLink domains."""

from tests.rules.case import TWO_B200, On
from tests.rules.edits import add, engine_file, put, text
from tests.rules.names import DECODE, GRAPH, SERVER, SNAPSHOT, VLLM_ARGS, WORKER

DIVIDES = "parallelism-divides-model"
_VLLM = "spec.components[1]"

CASES = (
    On(DIVIDES, "agg-gb200", WORKER).fails(
        "three ranks of TensorRT-LLM",
        "tensor parallelism 3 (worker.yaml of ConfigMap",
        "does not divide the 64 attention heads of gpt-oss-120b",
        engine_file("worker.yaml", "tensor_parallel_size", 3),
        engine_file("worker.yaml", "moe_expert_parallel_size", 3),
        engine_file("worker.yaml", "enable_attention_dp", False),
    ),
    On(DIVIDES, "vllm-agg", "VllmWorker").fails(
        "ranks that do not divide the heads of another model",
        "does not divide the 128 attention heads",
        text(GRAPH, f"{VLLM_ARGS}[2]", "=1", "=3"),
        text(GRAPH, f"{VLLM_ARGS}[0]", SNAPSHOT, "/opt/models/hub/DeepSeek-R1-0528-NVFP4-v2"),
        text(GRAPH, f"{VLLM_ARGS}[1]", "openai/gpt-oss-120b", "DeepSeek-R1-0528-NVFP4-v2"),
    ),
    On(DIVIDES, "vllm-agg").passes(
        "a model whose heads nobody listed",
        text(GRAPH, f"{VLLM_ARGS}[2]", "=1", "=3"),
        text(GRAPH, f"{VLLM_ARGS}[0]", SNAPSHOT, "/opt/models/hub/ours"),
        text(GRAPH, f"{VLLM_ARGS}[1]", "openai/gpt-oss-120b", "ours"),
    ),
    On(DIVIDES, "agg-gb200", WORKER).fails(
        "three do not divide four ranks, nor the experts",
        "moe_expert_parallel_size 3 (worker.yaml of ConfigMap",
        "does not divide tensor parallelism 4 (worker.yaml of ConfigMap",
        "does not divide the 128 experts of gpt-oss-120b",
        engine_file("worker.yaml", "moe_expert_parallel_size", 3),
    ),
    On(DIVIDES, "agg-gb200", WORKER).fails(
        "both sizes, whose product is not tensor parallelism",
        ("moe_tensor_parallel_size 2 (", "x moe_expert_parallel_size 4 (", "is 8, not tensor parallelism 4"),
        engine_file("worker.yaml", "moe_tensor_parallel_size", 2),
    ),
    On(DIVIDES, "disagg-b200", DECODE).fails(
        "two stages of gpt-oss",
        ("pipeline parallelism is 2 (decode.yaml of ConfigMap", "for gpt-oss-120b it must be 1"),
        engine_file("decode.yaml", "pipeline_parallel_size", 2),
    ),
    On("tensor-parallelism-inside-nvlink-domain", "vllm-agg", "VllmWorker").fails(
        "ranks on two B200 machines",
        "tensor parallelism 16 (--tensor-parallel-size) spans 2 pods of 8 GPUs",
        "pool p6-b200.48xlarge (p6-b200.48xlarge) NVLink ends at the node with 8 GPUs",
        put(GRAPH, f"{_VLLM}.replicas", 1),
        put(GRAPH, f"{_VLLM}.multinode", {"nodeCount": 2}),
        put(GRAPH, f"{_VLLM}.podTemplate.spec.containers[0].args[2]", "--tensor-parallel-size=16"),
        put(GRAPH, f"{_VLLM}.podTemplate.spec.containers[0].resources.limits[nvidia.com/gpu]", "8"),
        pools=TWO_B200,
    ),
    On("tensor-parallelism-inside-nvlink-domain", "vllm-agg").passes(
        "ranks that stay in one pod each, wherever that lands",
        put(GRAPH, f"{_VLLM}.replicas", 1),
        put(GRAPH, f"{_VLLM}.multinode", {"nodeCount": 2}),
        add(GRAPH, f"{_VLLM}.podTemplate.spec.containers[0].args", "--data-parallel-size=2"),
        pools=(),
    ),
    On("gpus-match-parallelism", "vllm-serve", "engine").is_undecided(
        "ranks on a Ray cluster",
        "its ranks run on a Ray cluster",
        add("Deployment", f"{SERVER}.args", "--pipeline-parallel-size=2"),
        add("Deployment", f"{SERVER}.args", "--distributed-executor-backend=ray"),
    ),
    On("gpus-match-parallelism", "vllm-serve", "engine").is_undecided(
        "stages of vLLM-Omni",
        "starts vLLM-Omni",
        add("Deployment", f"{SERVER}.args", "--pipeline-parallel-size=2"),
        add("Deployment", f"{SERVER}.args", "--omni"),
    ),
)
