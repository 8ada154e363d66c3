"""What rules find in the published recipe where a worker, or what it reads, cannot be read."""

from tests.rules.case import Pools, undecided
from tests.rules.judging import Found

PUBLISHED = "published-disagg"
_GRAPH = "gpt-oss-disagg"
CONFIG_MAP = "ConfigMap/llm-config"

# The pool of prefill, then that of decode.
ON_GB200: Pools = (("p6e-gb200.36xlarge", 2), ("p6e-gb200.36xlarge", 2))
ON_H200: Pools = (("p5en.48xlarge", 2), ("p5en.48xlarge", 2))

_OF_SETTINGS = (
    "cache-transceiver-configured",
    "cuda-graphs-cover-batches",
    "engine-settings-accepted",
    "gpus-match-parallelism",
    "kv-cache-dtype-known",
    "kv-transfer-is-safe",
    "moe-backend-runs",
    "parallelism-divides-model",
    "kv-cache-fits",
    "runtime-defects-avoided",
    "sequence-length-within-model",
    "transfer-buffer-holds-the-prompt",
)
_OF_A_WORKER = (
    "answer-parsers",
    "compute-domain-claims",
    "crash-ends-the-container",
    "flags-exist",
    "pod-selects-a-pool",
    "kv-transport-devices",
    "worker-fits-node",
    "ranks-can-share-memory",
    "rollout-can-proceed",
    "structured-output-without-draft-model",
    "tensor-parallelism-inside-nvlink-domain",
    "vllm-moe-backend",
    "workers-fit-pool",
)
_OF_A_SERVICE = (
    "component-type-known",
    "image-architecture-matches-node",
    "image-brings-the-engine",
    "images-pinned",
    "pod-affinity-can-match",
    "pod-selects-a-pool",
    "pods-request-memory",
    "pods-run-unprivileged",
    "probed-port-named",
    "secrets-not-in-plain-values",
    "service-mounts-kept",
)
_OF_FLAGS = ("answer-parsers", "flags-exist")
_OF_A_GRAPH = ("graph-depends-on-filled-cache", "outlived-by-token-and-cache")
_OF_A_MODEL = ("model-path-mounted", "model-revision-equal")


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
    return _unread_settings(worker) | _each((*_OF_FLAGS, *_OF_A_MODEL), worker)
