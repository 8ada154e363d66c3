"""Whether the ranks of one worker have enough shared memory."""

from tests.rules.case import Case, failed
from tests.rules.edits import drop, put

_SERVER = "spec.template.spec"
SHARE = "ranks-can-share-memory"

CASES = (
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
