"""Whether the ranks of one worker have enough shared memory."""

from tests.rules.case import On
from tests.rules.edits import drop, put
from tests.rules.names import POD, SERVER

CASES = (
    On("ranks-can-share-memory", "vllm-serve", "engine").fails(
        "vLLM's ranks with the shared memory that a container has by itself",
        "64Mi of shared memory (the container runtime's own, as no volume is mounted at /dev/shm)",
        drop("Deployment", f"{SERVER}.volumeMounts[1]"),
    ),
    On("ranks-can-share-memory", "vllm-serve", "engine").fails(
        "a volume for shared memory of no more",
        "its 4 ranks (--tensor-parallel-size) exchange through 64Mi of shared memory (sizeLimit of volume",
        put("Deployment", f"{POD}.volumes[1].emptyDir.sizeLimit", "64Mi"),
    ),
)
