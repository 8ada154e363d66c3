"""What rules find in the published recipe where a worker, or what it reads, cannot be read."""

from tests.rules.case import Pools, undecided
from tests.rules.judging import Found
from tests.rules.serving_edits import FRONTEND

PUBLISHED = "published-disagg"
_GRAPH = "gpt-oss-disagg"
CONFIG_MAP = "ConfigMap/llm-config"

# The pool of prefill, then that of decode.
ON_GB200: Pools = (("p6e-gb200.36xlarge", 2), ("p6e-gb200.36xlarge", 2))
ON_H200: Pools = (("p5en.48xlarge", 2), ("p5en.48xlarge", 2))

_OF_SETTINGS = (
    "aggregated-recipe-hardware",
    "batch-fits-a-step",
    "block-reuse-with-transfer",
    "cache-transceiver-configured",
    "cuda-graph-sizes-agree",
    "cuda-graphs-cover-batches",
    "deprecated-settings",
    "engine-file-readable",
    "engine-values-allowed",
    "expert-parallelism-divides",
    "fp8-kv-cache-tested",
    "full-concurrency-fits",
    "gpus-match-parallelism",
    "kv-cache-dtype-known",
    "moe-backend-runs",
    "moe-backend-substituted",
    "one-sequence-fits",
    "overlap-scheduler-in-prefill",
    "pipeline-parallelism-of-gpt-oss",
    "prompt-fits-a-step",
    "quantization-override-known",
    "ranks-can-share-memory",
    "removed-engine-keys",
    "runtime-defects-avoided",
    "sequence-length-within-model",
    "settings-without-effect",
    "tensor-parallelism-divides-heads",
    "transceiver-fits-backend",
    "transfer-buffer-aligned",
    "transfer-buffer-set",
    "transfer-buffers-fit",
    "unlisted-engine-keys",
)
_OF_A_WORKER = (
    "answer-parsers",
    "component-type-matches-role",
    "compute-domain-claims",
    "compute-domain-has-a-fabric",
    "crash-ends-the-container",
    "disaggregation-mode-known",
    "drain-covers-requests",
    "flags-exist",
    "gpu-product-is-selected",
    "kv-transport-devices",
    "one-claim-per-tray",
    "one-compute-domain",
    "one-gpu-allocator",
    "pod-fits-some-node",
    "quantization-override-has-effect",
    "rollout-can-proceed",
    "rollout-default-can-proceed",
    "router-block-size-equal",
    "structured-output-without-draft-model",
    "tensor-parallelism-inside-nvlink-domain",
    "vllm-moe-backend",
    "vllm-moe-env-without-effect",
    "worker-fits-node",
    "workers-fit-pool",
)
_OF_A_SERVICE = (
    "component-type-known",
    "efa-image-architecture",
    "frontend-off-gpu-nodes",
    "image-architecture-matches-node",
    "image-brings-the-engine",
    "images-pinned",
    "job-fits-a-node",
    "no-privileged-containers",
    "one-probe-handler",
    "pod-affinity-can-match",
    "pod-anti-affinity-can-match",
    "pod-selects-a-pool",
    "pods-request-memory",
    "pods-run-unprivileged",
    "privileges-for-hardware",
    "probed-port-named",
    "requests-within-limits",
    "rollout-annotated-on-the-pod",
    "runtime-image-exists",
    "secrets-not-in-plain-values",
    "servers-survive-a-node",
    "service-mounts-kept",
    "shared-memory-within-limit",
)
_OF_FLAGS = (
    "answer-parsers",
    "disaggregation-mode-known",
    "drain-covers-requests",
    "quantization-override-has-effect",
    "router-block-size-equal",
)
_OF_A_GRAPH = (
    "engine-files-roll-pods",
    "graph-depends-on-filled-cache",
    "no-public-endpoint",
    "outlived-by-token-and-cache",
)
_OFFLINE_MODEL = "offline-frontend-has-the-model"


def _each(rules: tuple[str, ...], *subjects: str) -> frozenset[Found]:
    """Every rule is undecided for every subject."""
    return frozenset[Found]().union(*(undecided(rule, *subjects) for rule in rules))


def _unread_settings(*workers: str) -> frozenset[Found]:
    """Workers whose engine's settings cannot be read."""
    return _each(_OF_SETTINGS, *workers)


def unread_worker(worker: str) -> frozenset[Found]:
    """A worker of which not even the GPUs can be read."""
    return _unread_settings(worker) | _each(_OF_A_WORKER, worker)


def unread_service(service: str) -> frozenset[Found]:
    """A service of which nothing can be read, which may be a worker."""
    return unread_worker(service) | _each(_OF_A_SERVICE, service) | _each(_OF_A_GRAPH, _GRAPH)


def unread_words(worker: str) -> frozenset[Found]:
    """A worker whose command line has a word that only its run knows."""
    return _unread_settings(worker) | _each(_OF_FLAGS, worker) | undecided(_OFFLINE_MODEL, FRONTEND)
