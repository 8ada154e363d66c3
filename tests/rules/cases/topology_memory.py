"""Requests of CPU and memory, and shared memory."""

from tests.rules.case import On
from tests.rules.edits import drop, put
from tests.rules.serving_edits import DECODE, GRAPH

REQUESTS = "pods-request-memory"

CASES = (
    On(REQUESTS, "disagg-b200", "Frontend").fails(
        "a frontend without resources",
        "requests no cpu and no memory, nor has it such a limit; 8Gi of shared memory (the operator's "
        "default) count as its memory too",
        drop(GRAPH, "spec.services.Frontend.resources"),
    ),
    On(REQUESTS, "disagg-b200", DECODE).fails(
        "a worker of a v1alpha1 graph without CPU",
        "requests no cpu, nor",
        drop(GRAPH, f"spec.services.{DECODE}.resources.requests.cpu"),
        drop(GRAPH, f"spec.services.{DECODE}.resources.limits.cpu"),
    ),
    On(REQUESTS, "disagg-b200", DECODE).fails(
        "all memory of a v1alpha1 worker",
        ("has 921Gi of shared memory (sharedMemory.size)", "of which the limit is 921Gi"),
        put(GRAPH, f"spec.services.{DECODE}.sharedMemory.size", "921Gi"),
    ),
    On(REQUESTS, "vllm-agg", "VllmWorker").is_undecided(
        "a size that is no amount",
        "sharedMemorySize is 'plenty', not an amount such as 16Gi",
        put(GRAPH, "spec.components[1].sharedMemorySize", "plenty"),
    ),
)
