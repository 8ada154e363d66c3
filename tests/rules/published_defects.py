"""What is known to be wrong with the recipes in `published/`, and what the rules must say of it."""

from dataclasses import dataclass

from tests.rules.case import B200, GB200, H200, TWO_GB200, Pools, failed, undecided
from tests.rules.judging import Found

AGG_A, AGG_B = "trtllm-agg-0.6.0", "trtllm-agg-0.8.0rc5"
DISAGG_A, DISAGG_B = "trtllm-disagg-0.7.0", "trtllm-disagg-1.3.1"
AGG_PERF, DISAGG_PERF = "trtllm-agg-perf", "trtllm-disagg-perf"
CACHE, DOWNLOAD, OLD_DOWNLOAD = "model-cache", "model-download", "model-download-0.8.0rc5"
VLLM_AGG, VLLM_DISAGG, VLLM_PERF = "vllm-agg-b200-agentic", "vllm-disagg-b200-agentic", "vllm-perf"

WORKER, PREFILL, DECODE = "TrtllmWorker", "TrtllmPrefillWorker", "TrtllmDecodeWorker"
AGG_BENCH, DISAGG_BENCH = "gpt-oss-120b-bench", "gpt-oss-120b-disagg-bench"


@dataclass(frozen=True)
class Defect:
    """Something that is wrong with published files, and what says so."""

    name: str
    files: tuple[str, ...]
    found: frozenset[Found]
    """Among other findings."""
    says: tuple[str, ...] = ()
    pools: Pools = ()


DEFECTS = (
    Defect(
        "both TensorRT-LLM recipes call their ConfigMap llm-config",
        (AGG_A, DISAGG_A),
        failed("config-names-unique", "llm-config"),
    ),
    Defect(
        "no parsers, although gpt-oss answers in harmony",
        (AGG_A, DISAGG_A),
        failed("answer-parsers", WORKER, PREFILL, DECODE),
        ("--dyn-reasoning-parser must be gpt_oss, and has none", "--dyn-tool-call-parser must be harmony"),
    ),
    Defect(
        "a component type that the operator does not know",
        (AGG_A, DISAGG_B),
        failed("component-type-known", WORKER, PREFILL, DECODE),
        ("componentType is main",),
    ),
    Defect(
        "the frontend's anti-affinity names a label value that no pod has",
        (AGG_A,),
        failed("pod-affinity-can-match", "Frontend"),
        ("nvidia.com/dynamo-graph-deployment-name=gpt-oss-agg-frontend",),
    ),
    Defect(
        "the benchmark is privileged for a sysctl that its pod may set",
        (DISAGG_PERF,),
        failed("pods-run-unprivileged", DISAGG_BENCH),
    ),
    Defect(
        "the benchmark keeps more requests open than the aggregated engine takes",
        (AGG_A, AGG_PERF),
        failed("benchmark-within-engine", AGG_BENCH),
        ("keeps 3600 requests open", "take 3200 at once", "x 4 attention-DP ranks"),
    ),
    Defect(
        "the benchmark keeps more requests open than decode takes",
        (DISAGG_A, DISAGG_PERF),
        failed("benchmark-within-engine", DISAGG_BENCH),
        ("keeps 1536 requests open", "take 1280 at once"),
    ),
    Defect(
        "neither CPU nor memory is asked for, and shared memory counts as memory",
        (DISAGG_A,),
        failed("pods-request-memory", "Frontend", PREFILL, DECODE),
        ("80Gi of shared memory",),
    ),
    Defect(
        "any node with a GPU will do",
        (AGG_A, DISAGG_A),
        failed("pod-selects-a-pool", WORKER, PREFILL, DECODE),
        ("nvidia.com/gpu.present=true",),
    ),
    Defect(
        "the kernels need Blackwell, and nothing keeps the workers off Hopper",
        (DISAGG_A,),
        failed("moe-backend-runs", PREFILL, DECODE),
        ("TRTLLM is for Blackwell",),
        pools=H200,
    ),
    Defect(
        "KV cache goes from one node to another without a transport",
        (DISAGG_A,),
        failed("kv-hop-has-a-transport", "gpt-oss-disagg"),
        ("no network device and no compute domain's channel",),
        pools=TWO_GB200,
    ),
    Defect(
        "prompts above 8192 tokens are refused, of the 131072 that the model takes",
        (AGG_A,),
        failed("sequence-length-within-model", WORKER),
        ("more than max_num_tokens 8192 (the default of --max-num-tokens)", "promises 131072"),
    ),
    Defect(
        "a balance of attention-DP ranks without attention-DP",
        (DISAGG_A,),
        failed("engine-settings-accepted", DECODE),
        ("attention_dp_config",),
    ),
    Defect(
        "the pull secret of the benchmark is created nowhere",
        (AGG_PERF,),
        undecided("named-secrets-exist", "nvcrimagepullsecret"),
    ),
    Defect(
        "the storage class is of the publisher's own cluster",
        (CACHE,),
        failed("storage-class-exists", "model-cache"),
        ("dgxc-enterprise-file",),
    ),
    Defect(
        "nothing beside the graph says whether its claim can be shared",
        (DISAGG_A,),
        undecided("cache-shared-by-nodes", "model-cache"),
    ),
    Defect(
        "the cache is below /root, where the image's user may not go",
        (AGG_A,),
        failed("model-path-mounted", WORKER),
        ("/root/.cache/huggingface",),
    ),
    Defect(
        "the model is read from a directory where nothing is mounted",
        (AGG_A,),
        failed("model-path-mounted", WORKER),
        ("/model-store/hub",),
    ),
    Defect(
        "workers take whatever the main branch holds when they start",
        (DISAGG_B,),
        failed("model-revision-equal", PREFILL, DECODE),
        ("serves openai/gpt-oss-120b in no revision",),
    ),
    Defect(
        "the claim has no room for a second revision",
        (CACHE, DOWNLOAD, DISAGG_B),
        failed("cache-holds-the-model", "model-cache"),
        ("asks for 100Gi (107.4 GB)", "130.5 GB"),
    ),
    Defect(
        "the frontend has neither the model's claim nor leave to be offline",
        (AGG_A, DISAGG_B),
        failed("offline-frontend-has-the-model", "Frontend"),
    ),
    Defect(
        "the image is in a repository that does not exist",
        (AGG_A,),
        failed("image-brings-the-engine", "Frontend", WORKER),
        ("trtllm-runtime:0.6.0",),
    ),
    Defect(
        "the pod claims a compute domain's channel that no container gets",
        (AGG_B,),
        failed("compute-domain-claims", WORKER),
        pools=GB200,
    ),
    Defect(
        "an endless sleep hides how the engine ended", (AGG_B,), failed("crash-ends-the-container", WORKER)
    ),
    Defect(
        "an image for ARM can land on other nodes",
        (AGG_B,),
        failed("image-architecture-matches-node", WORKER),
        pools=B200,
    ),
    Defect(
        "pods are privileged, and run as root", (AGG_B,), failed("pods-run-unprivileged", "Frontend", WORKER)
    ),
    Defect(
        "workers of one GPU share the node's IPC",
        (VLLM_AGG,),
        failed("pods-run-unprivileged", "agg"),
        ("hostIPC",),
        pools=B200,
    ),
    Defect(
        "two of the vLLM targets do not fit on one machine",
        (VLLM_AGG, VLLM_DISAGG),
        failed("workers-fit-pool", "agg, main"),
        ("is 16 GPUs",),
        pools=B200,
    ),
)
