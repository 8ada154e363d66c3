"""Whether the ranks of one worker may open each other's memory."""

from tests.rules.case import Case, failed
from tests.rules.edits import drop, engine_file, put
from tests.rules.serving_edits import DECODE, main

_SERVER = "spec.template.spec"
SHARE = "ranks-can-share-memory"

_PROFILE = main(DECODE, "securityContext.seccompProfile", {"type": "RuntimeDefault"})
_DATA_PARALLEL = engine_file("decode.yaml", "enable_attention_dp", value=True)

CASES = (
    Case(
        SHARE,
        "the runtime's profile on ranks of attention data parallelism",
        "disagg-b200",
        (_DATA_PARALLEL, _PROFILE),
        failed(SHARE, DECODE),
        ("its 4 ranks (decode.yaml", "forbids without the capability SYS_PTRACE: DeepEP is taken"),
    ),
    Case(
        SHARE,
        "a profile on arm64, where handles take its place",
        "agg-gb200",
        (main("TrtllmWorker", "securityContext.seccompProfile", {"type": "RuntimeDefault"}),),
    ),
    Case(
        SHARE,
        "vLLM's ranks with the shared memory that a container has by itself",
        "vllm-serve",
        (drop("Deployment", f"{_SERVER}.containers[0].volumeMounts[1]"),),
        failed(SHARE, "engine"),
        (
            "its 4 ranks (--tensor-parallel-size) exchange through 64Mi of shared memory (the container "
            "runtime's own, as no volume is mounted at /dev/shm)",
        ),
    ),
    Case(
        SHARE,
        "a volume for shared memory of no more",
        "vllm-serve",
        (put("Deployment", f"{_SERVER}.volumes[1].emptyDir.sizeLimit", "64Mi"),),
        failed(SHARE, "engine"),
        ("exchange through 64Mi of shared memory (sizeLimit of volume shared-memory)",),
    ),
)
