"""Requests of CPU and memory, and shared memory."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import drop, put
from tests.rules.serving_edits import DECODE, GRAPH

REQUESTS = "pods-request-memory"
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
        "all memory of a v1alpha1 worker",
        "disagg-b200",
        (put(GRAPH, f"spec.services.{DECODE}.sharedMemory.size", "921Gi"),),
        failed(REQUESTS, DECODE),
        ("has 921Gi of shared memory (sharedMemory.size)", "of which the limit is 921Gi"),
    ),
    Case(
        REQUESTS,
        "a size that is no amount",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.sharedMemorySize", "plenty"),),
        undecided(REQUESTS, "VllmWorker"),
        ("sharedMemorySize is 'plenty', not an amount such as 16Gi",),
    ),
)
