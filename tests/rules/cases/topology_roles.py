"""Halves of disaggregated serving, names that lead nowhere, and amounts that no node has."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, document, drop, put
from tests.rules.judging import Found
from tests.rules.serving_edits import DECODE, GRAPH, PREFILL, of_service

ROLES = "roles-complete"
NAMES = "named-objects-exist"
LIMITS = "requests-within-limits"
FITS = "pod-fits-some-node"
DISAGGREGATED = "gpt-oss-disagg"
_VLLM = "spec.components[1].podTemplate.spec"
_SECRET = (
    "{apiVersion: v1, kind: Secret, metadata: {name: hf-tokens, namespace: gpt-oss}, stringData: {a: b}}"
)

_UNKNOWN_CLAIMS = frozenset[Found]().union(
    *(
        undecided(rule, PREFILL, DECODE)
        for rule in (
            "compute-domain-claims",
            "compute-domain-has-a-fabric",
            "one-claim-per-tray",
            "one-gpu-allocator",
        )
    ),
    *(
        undecided(rule, DISAGGREGATED)
        for rule in (
            "kv-hop-has-a-transport",
            "kv-transport-possible",
            "kv-transport-proven",
            "nvlink-domain-holds-the-pods",
        )
    ),
)

CASES = (
    Case(
        ROLES,
        "prefill alone, under SGLang",
        "sglang-disagg",
        (drop(GRAPH, "spec.components[2]"),),
        failed(ROLES, "gpt-oss-sglang") | failed("pod-anti-affinity-can-match", "Prefill"),
        ("Prefill prefills, and no worker of the graph decodes: no request is answered",),
        gone=failed("kv-transport-proven", "gpt-oss-sglang")
        | undecided("kv-transport-possible", "gpt-oss-sglang"),
    ),
    Case(
        ROLES,
        "a prefill worker without replicas, under SGLang",
        "sglang-disagg",
        (put(GRAPH, "spec.components[1].replicas", 0),),
        failed(ROLES, "gpt-oss-sglang"),
        ("Decode decodes, and no worker of the graph prefills: each request ends with an error",),
    ),
    Case(
        ROLES,
        "decode alone, under vLLM, which computes prompts itself",
        "vllm-disagg-efa",
        (put(GRAPH, "spec.components[1].replicas", 0),),
        frozenset(),
    ),
    Case(
        NAMES,
        "a Secret under nearly that name",
        "vllm-agg",
        (
            add(GRAPH, f"{_VLLM}.containers[0].envFrom", {"secretRef": {"name": "hf-token"}}),
            document(_SECRET),
        ),
        failed(NAMES, "VllmWorker") | undecided("named-secrets-exist", "hf-token"),
        ("names Secret hf-token; what was read makes hf-tokens and no hf-token",),
    ),
    Case(
        NAMES,
        "a claim in another namespace",
        "vllm-agg",
        (put("PersistentVolumeClaim", "metadata.namespace", "other"),),
        failed(NAMES, "VllmWorker", "Frontend") | undecided("cache-shared-by-nodes", "model-cache"),
        ("names PersistentVolumeClaim model-cache, which is made in namespace other",),
    ),
    Case(
        NAMES,
        "a volume that is mounted under nearly its name",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.containers[0].volumeMounts[0].name", "model-cach"),),
        failed(NAMES, "VllmWorker"),
        ("container main mounts volume model-cach; the pod has model-cache",),
    ),
    Case(
        NAMES,
        "a claim template that no compute domain makes",
        "disagg-gb200",
        (
            put(
                GRAPH,
                f"spec.services.{PREFILL}.extraPodSpec.resourceClaims[0].resourceClaimTemplateName",
                "no-such-channel",
            ),
            put(
                GRAPH,
                f"spec.services.{DECODE}.extraPodSpec.resourceClaims[0].resourceClaimTemplateName",
                "no-such-channel",
            ),
        ),
        failed(NAMES, PREFILL, DECODE) | _UNKNOWN_CLAIMS,
        ("names ResourceClaimTemplate no-such-channel; what was read makes",),
        gone=failed("kv-transport-proven", DISAGGREGATED),
    ),
    Case(
        LIMITS,
        "more memory than its limit",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.containers[0].resources.limits.memory", "100Gi"),),
        failed(LIMITS, "VllmWorker"),
        ("container main requests 200Gi of memory with a limit of 100Gi, which is less",),
    ),
    Case(
        LIMITS,
        "less GPUs than its limit, of a service",
        "agg-gb200",
        (of_service("TrtllmWorker", "resources.requests.gpu", "2"),),
        failed(LIMITS, "TrtllmWorker"),
        ("its service requests 2 of nvidia.com/gpu with a limit of 4, and a device's must be equal",),
    ),
    Case(
        FITS,
        "more GPUs in one pod than any node has",
        "vllm-agg",
        (
            put(GRAPH, f"{_VLLM}.containers[0].resources.requests.memory", "3Ti"),
            put(GRAPH, f"{_VLLM}.containers[0].resources.limits.memory", "3Ti"),
            put(GRAPH, f"{_VLLM}.containers[0].resources.requests.cpu", "200"),
        ),
        failed(FITS, "VllmWorker"),
        (
            "asks for 3072 GiB of memory in one pod, and a node of its pool (p6-b200.48xlarge) has at most",
            "asks for 200 CPUs in one pod",
        ),
    ),
)
