"""Whether the ranks of one worker have enough shared memory."""

from tests.rules.case import On
from tests.rules.edits import drop, put

_SERVER = "spec.template.spec"
SHARE = "ranks-can-share-memory"

CASES = (
    On(SHARE, "vllm-serve", "engine").fails(
        "vLLM's ranks with the shared memory that a container has by itself",
        "its 4 ranks (--tensor-parallel-size) exchange through 64Mi of shared memory (the container "
        "runtime's own, as no volume is mounted at /dev/shm)",
        drop("Deployment", f"{_SERVER}.containers[0].volumeMounts[1]"),
    ),
    On(SHARE, "vllm-serve", "engine").fails(
        "a volume for shared memory of no more",
        "exchange through 64Mi of shared memory (sizeLimit of volume shared-memory)",
        put("Deployment", f"{_SERVER}.volumes[1].emptyDir.sizeLimit", "64Mi"),
    ),
)
