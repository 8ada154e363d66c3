"""Requests of CPU and memory, and shared memory."""

from tests.rules.case import On
from tests.rules.edits import drop, put
from tests.rules.names import DECODE, GRAPH

CASES = (
    On("pods-request-memory", "disagg-b200", "Frontend", DECODE).fails(
        "a frontend without resources, and a worker without CPU that may share all its memory",
        "no cpu and no memory, nor has it such a limit; 8Gi of shared memory (the operator's default) count",
        drop(GRAPH, "spec.services.Frontend.resources"),
        "requests no cpu, nor",
        drop(GRAPH, f"spec.services.{DECODE}.resources.requests.cpu"),
        drop(GRAPH, f"spec.services.{DECODE}.resources.limits.cpu"),
        "has 921Gi of shared memory (sharedMemory.size)",
        "of which the limit is 921Gi",
        put(GRAPH, f"spec.services.{DECODE}.sharedMemory.size", "921Gi"),
    ),
    On("pods-request-memory", "vllm-agg", "VllmWorker").is_undecided(
        "a size that is no amount",
        "sharedMemorySize is 'plenty', not an amount such as 16Gi",
        put(GRAPH, "spec.components[1].sharedMemorySize", "plenty"),
    ),
)
