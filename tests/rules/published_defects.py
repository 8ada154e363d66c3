"""What is known to be wrong with the recipes in `published/`, what is not, and what the rules say of it."""

from tests.rules.case import B200, GB200, H200, TWO_GB200, On

AGG_A, AGG_B = "trtllm-agg-0.6.0", "trtllm-agg-0.8.0rc5"
DISAGG_A, DISAGG_B = "trtllm-disagg-0.7.0", "trtllm-disagg-1.3.1"
AGG_PERF, DISAGG_PERF = "trtllm-agg-perf", "trtllm-disagg-perf"
CACHE, DOWNLOAD, OLD_DOWNLOAD = "model-cache", "model-download", "model-download-0.8.0rc5"
VLLM_AGG, VLLM_DISAGG, VLLM_PERF = "vllm-agg-b200-agentic", "vllm-disagg-b200-agentic", "vllm-perf"

WORKER, PREFILL, DECODE = "TrtllmWorker", "TrtllmPrefillWorker", "TrtllmDecodeWorker"
WORKERS = (WORKER, PREFILL, DECODE)
AGG_BENCH, DISAGG_BENCH = "gpt-oss-120b-bench", "gpt-oss-120b-disagg-bench"
GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"

DEFECTS = (
    On("config-names-unique", f"{AGG_A} {DISAGG_A}", "llm-config").fails(
        "both TensorRT-LLM recipes have one ConfigMap llm-config", "have different content and are one object"
    ),
    On("answer-parsers", f"{AGG_A} {DISAGG_A}", *WORKERS).fails(
        "no parsers, although gpt-oss answers in harmony",
        "--dyn-reasoning-parser must be gpt_oss, and has none",
        "--dyn-tool-call-parser must be harmony, and has none: tool_calls of an answer stay empty",
    ),
    On("component-type-known", f"{AGG_A} {DISAGG_B}", *WORKERS).fails(
        "a component type that the operator does not know",
        ("componentType is main, which the operator does not know", "no system port, no probes"),
    ),
    On("pod-affinity-can-match", AGG_A, "Frontend").fails(
        "the frontend's anti-affinity names a label value that no pod has",
        f"keeps away from pods with {GRAPH_NAME}=gpt-oss-agg-frontend, which no pod of the graph carries",
        f"its own {GRAPH_NAME} is gpt-oss-agg",
    ),
    On("pods-run-unprivileged", DISAGG_PERF, DISAGG_BENCH).fails(
        "privileged for the sake of a sysctl", "container perf is privileged, and asks for no network device"
    ),
    On("benchmark-within-engine", f"{AGG_A} {AGG_PERF}", AGG_BENCH).fails(
        "the benchmark keeps more requests open than the aggregated engine takes",
        ("keeps 3600 requests open", "take 3200 at once", "x 4 attention-DP ranks"),
    ),
    On("benchmark-within-engine", f"{DISAGG_A} {DISAGG_PERF}", DISAGG_BENCH).fails(
        "the benchmark keeps more requests open than decode takes",
        ("keeps 1536 requests open", "take 1280 at once", "decode.yaml of ConfigMap"),
    ),
    On("pods-request-memory", DISAGG_A, "Frontend", PREFILL, DECODE).fails(
        "neither CPU nor memory is asked for, and shared memory counts as memory", "80Gi of shared memory"
    ),
    On("pod-selects-a-pool", f"{AGG_A} {DISAGG_A}", *WORKERS).fails(
        "any node with a GPU will do", "nvidia.com/gpu.present=true", undecided_for=WORKERS
    ),
    On("moe-backend-runs", DISAGG_A, PREFILL, DECODE).fails(
        "the kernels need Blackwell, and nothing keeps Hopper away", "TRTLLM is for Blackwell", pools=H200
    ),
    On("kv-hop-has-a-transport", DISAGG_A, "gpt-oss-disagg").fails(
        "KV cache goes from node to node by nothing",
        "no network device and no compute domain's channel",
        pools=TWO_GB200,
    ),
    On("sequence-length-within-model", AGG_A, WORKER).fails(
        "prompts above 8192 tokens are refused, of the 131072 that the model takes",
        "more than max_num_tokens 8192 (the default of --max-num-tokens) tokens",
        "promises 131072 (the length that gpt-oss-120b was made for)",
    ),
    On("engine-settings-accepted", DISAGG_A, DECODE).fails(
        "a balance of attention-DP ranks without attention-DP",
        ("attention_dp_config in decode.yaml", "enable_attention_dp is false (decode.yaml of ConfigMap"),
    ),
    On("named-secrets-exist", AGG_PERF, "nvcrimagepullsecret").is_undecided(
        "the pull secret of the benchmark is created nowhere", "nothing that was read makes this Secret"
    ),
    On("storage-class-exists", CACHE, "model-cache").fails(
        "the class is the publisher's", "dgxc-enterprise-file, which is of the publisher's own cluster"
    ),
    On("cache-shared-by-nodes", DISAGG_A, "model-cache").is_undecided(
        "nothing beside the graph says whether its claim can be shared",
        (f"2 pods mount it (1 of {PREFILL} + 1 of {DECODE})", "nothing that was read says"),
    ),
    On("model-path-mounted", AGG_A, WORKER).fails(
        "the model is where nothing is mounted; below /root is the cache, where 0.6.0 goes",
        "reads its model from /model-store/hub",
    ),
    On("model-revision-equal", DISAGG_B, PREFILL, DECODE).fails(
        "workers take what the main branch holds at start", "serves openai/gpt-oss-120b in no revision"
    ),
    On("cache-holds-the-model", f"{CACHE} {DOWNLOAD} {DISAGG_B}", "model-cache").fails(
        "the claim has no room for a second revision", ("asks for 100Gi (107.4 GB)", "130.5 GB")
    ),
    On("offline-frontend-has-the-model", f"{AGG_A} {DISAGG_B}", "Frontend").fails(
        "the frontend has neither the model's claim nor leave to be offline",
        "it has neither the model's claim nor HF_HUB_OFFLINE",
        undecided_for=("Frontend",),
    ),
    On("image-brings-the-engine", AGG_A, "Frontend", WORKER).fails(
        "the image is in a repository that does not exist", "trtllm-runtime:0.6.0"
    ),
    On("compute-domain-claims", AGG_B, WORKER).fails(
        "the pod claims a compute domain's channel that no container gets",
        "its pod claims the compute domain's channel as compute-domain-channel",
        "but no container has compute-domain-channel in resources.claims",
        pools=GB200,
    ),
    On("crash-ends-the-container", AGG_B, WORKER).fails(
        "an endless sleep hides how the engine ended", "its start script waits with `while true; do sleep`"
    ),
    On("image-architecture-matches-node", AGG_B, WORKER).fails(
        "an image for ARM can land on other nodes",
        "it can land on amd64 (pool p6-b200.48xlarge of p6-b200.48xlarge)",
        pools=B200,
        undecided_for=("Frontend",),
    ),
    On("pods-run-unprivileged", AGG_B, "Frontend", WORKER).fails(
        "pods are privileged, and run as root", ("container main is privileged", "runs as root (runAsUser 0)")
    ),
    On("pods-run-unprivileged", VLLM_AGG, "agg").fails(
        "workers of one GPU share the node's IPC", "hostIPC", pools=B200
    ),
    On("workers-fit-pool", f"{VLLM_AGG} {VLLM_DISAGG}", "agg, main").fails(
        "two of the vLLM targets do not fit on one machine", "is 16 GPUs", pools=B200
    ),
)
NO_DEFECTS = (
    # The engine merges kv_cache_config key by key: the aggregated recipe's 0.9 acts.
    On("engine-settings-accepted", AGG_A).passes(
        "the engine file takes the memory fraction of the flag back", pools=GB200
    ),
    # 9216 tokens, and prefill takes prompts of 8999.
    On("transfer-buffer-holds-the-prompt", DISAGG_A).passes(
        "the transfer buffer is too small, or no multiple of a block", pools=TWO_GB200
    ),
    # The override is what Blackwell takes anyway.
    On("prefill-and-decode-agree", DISAGG_A).passes(
        "prefill and decode compute in different formats", pools=TWO_GB200
    ),
    On("gpus-match-parallelism", AGG_A).passes("attention-DP adds GPUs", pools=GB200),
    On("model-revision-equal", OLD_DOWNLOAD).passes("the older download names no commit"),
    On("model-revision-equal", f"{CACHE} {DOWNLOAD} {DISAGG_A}").passes(
        "download and workers mean two revisions"
    ),
    On("cache-shared-by-nodes", f"{CACHE} {DISAGG_A}").passes("the claim cannot be shared"),
    On("benchmark-within-engine", f"{VLLM_AGG} {VLLM_PERF}").passes(
        "the vLLM benchmark asks for too much", pools=B200
    ),
)
