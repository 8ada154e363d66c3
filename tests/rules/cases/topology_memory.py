"""Requests of CPU and memory, and shared memory."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import drop, put

REQUESTS, SHARED = "pods-request-memory", "shared-memory-within-limit"
GRAPH = "DynamoGraphDeployment"
DECODE = "TrtllmDecodeWorker"
_ENGINE = "spec.template.spec.containers[0]"
_VLLM = "spec.components[1]"

CASES = (
    Case(
        REQUESTS,
        "a frontend without resources",
        "disagg-b200",
        (drop(GRAPH, "spec.services.Frontend.resources"),),
        failed(REQUESTS, "Frontend"),
        (
            "requests no cpu and no memory, nor has it such a limit; 8Gi of shared memory (the operator's "
            "default) count as its memory too",
        ),
    ),
    Case(
        REQUESTS,
        "a worker of a v1alpha1 graph without CPU",
        "disagg-b200",
        (
            drop(GRAPH, f"spec.services.{DECODE}.resources.requests.cpu"),
            drop(GRAPH, f"spec.services.{DECODE}.resources.limits.cpu"),
        ),
        failed(REQUESTS, DECODE),
        ("requests no cpu, nor",),
    ),
    Case(
        REQUESTS,
        "a limit in place of a request",
        "disagg-b200",
        (drop(GRAPH, f"spec.services.{DECODE}.resources.requests.cpu"),),
        frozenset(),
    ),
    Case(
        REQUESTS,
        "a worker of a v1beta1 graph without memory",
        "vllm-agg",
        (
            drop(GRAPH, f"{_VLLM}.podTemplate.spec.containers[0].resources.requests.memory"),
            drop(GRAPH, f"{_VLLM}.podTemplate.spec.containers[0].resources.limits.memory"),
        ),
        failed(REQUESTS, "VllmWorker"),
        ("requests no memory",),
    ),
    Case(
        REQUESTS,
        "a plain Deployment without CPU",
        "vllm-serve",
        (drop("Deployment", f"{_ENGINE}.resources.requests.cpu"),),
        failed(REQUESTS, "engine"),
        ("requests no cpu",),
    ),
    Case(
        SHARED,
        "all memory of a v1alpha1 worker",
        "disagg-b200",
        (put(GRAPH, f"spec.services.{DECODE}.sharedMemory.size", "921Gi"),),
        failed(SHARED, DECODE),
        ("has 921Gi of shared memory (sharedMemory.size)", "of which the limit is 921Gi"),
    ),
    Case(
        SHARED,
        "no shared memory",
        "disagg-b200",
        (put(GRAPH, f"spec.services.{DECODE}.sharedMemory", {"disabled": True, "size": "4000Gi"}),),
        frozenset(),
    ),
    Case(
        SHARED,
        "more than a v1beta1 worker's memory",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.sharedMemorySize", "0.3Ti"),),
        failed(SHARED, "VllmWorker"),
        ("has 0.3Ti of shared memory (sharedMemorySize)", "limit is 200Gi"),
    ),
    Case(
        SHARED,
        "the operator's own size beside a small limit",
        "vllm-agg",
        (put(GRAPH, "spec.components[0].podTemplate.spec.containers[0].resources.limits.memory", "8000M"),),
        failed(SHARED, "Frontend"),
        ("has 8Gi of shared memory (the operator's default)", "limit is 8000M"),
    ),
    Case(
        SHARED,
        "a volume as large as the limit",
        "vllm-serve",
        (put("Deployment", "spec.template.spec.volumes[1].emptyDir.sizeLimit", "400Gi"),),
        failed(SHARED, "engine"),
        ("has 400Gi of shared memory (sizeLimit of volume shared-memory)",),
    ),
    Case(
        SHARED,
        "a volume without a size",
        "vllm-serve",
        (drop("Deployment", "spec.template.spec.volumes[1].emptyDir.sizeLimit"),),
        frozenset(),
    ),
    Case(
        SHARED,
        "a size that is no amount",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.sharedMemorySize", "plenty"),),
        undecided(SHARED, "VllmWorker"),
        ("sharedMemorySize is 'plenty', not an amount such as 16Gi",),
    ),
)
