"""Architectures of images and nodes."""

from tests.rules.case import On
from tests.rules.edits import drop, put
from tests.rules.names import DECODE, GRAPH, RUNTIME, WORKER
from tests.rules.serving_edits import runtime

IMAGE = "image-architecture-matches-node"

CASES = (
    On(IMAGE, "disagg-b200", DECODE).fails(
        "an image for Grace on an x86 machine, and where nothing tells the architecture",
        "1.2.1-arm64 is made for arm64, but it can land on amd64 (kubernetes.io/arch=amd64)",
        runtime(DECODE, "1.2.1-arm64"),
        "neither a selection by kubernetes.io/arch nor a pool of nodes with GPUs says which its nodes have",
        put(GRAPH, "spec.services.Frontend.extraPodSpec.mainContainer.image", f"{RUNTIME}:1.2.1-arm64"),
        undecided_for=("Frontend",),
    ),
    On(IMAGE, "agg-gb200", WORKER).fails(
        "the architecture told by the product alone",
        "is made for amd64, but it can land on arm64 (nvidia.com/gpu.product=NVIDIA-GB200)",
        runtime(WORKER, "1.2.1-x86_64"),
        drop(GRAPH, f"spec.services.{WORKER}.extraPodSpec.nodeSelector[kubernetes.io/arch]"),
    ),
    *(
        On(IMAGE, "agg-gb200").passes(name, runtime(WORKER, tag))
        for name, tag in (
            ("an image for Grace on Grace", "1.2.1-arm64"),
            ("a tag of which NVIDIA's pages say both", "1.2.1-efa-amd64"),
        )
    ),
    On(IMAGE, "disagg-b200", DECODE).fails(
        "an image for Grace in a pool of x86 machines",
        "it can land on amd64 (pool p6-b200.48xlarge of p6-b200.48xlarge)",
        runtime(DECODE, "1.2.1-arm64"),
        drop(GRAPH, f"spec.services.{DECODE}.extraPodSpec.nodeSelector"),
    ),
    On(IMAGE, "disagg-b200", DECODE).is_undecided(
        "no pools either",
        "neither a selection by kubernetes.io/arch nor a pool of nodes with GPUs",
        runtime(DECODE, "1.2.1-arm64"),
        drop(GRAPH, f"spec.services.{DECODE}.extraPodSpec.nodeSelector"),
        pools=(),
    ),
)
