"""Architectures of images and nodes, and the aggregated recipe's own hardware."""

from tests.rules.case import B200, Case, failed, undecided
from tests.rules.edits import Edit, drop, engine_file, put

IMAGE, EFA_IMAGE = "image-architecture-matches-node", "efa-image-architecture"
AGGREGATED = "aggregated-recipe-hardware"
GRAPH = "DynamoGraphDeployment"
AGG, DECODE = "TrtllmWorker", "TrtllmDecodeWorker"
_RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
_POD = "spec.template.spec"
_B200_NODE = {"kubernetes.io/arch": "amd64", "nvidia.com/gpu.product": "NVIDIA-B200"}


def _image(worker: str, tag: str) -> Edit:
    return put(GRAPH, f"spec.services.{worker}.extraPodSpec.mainContainer.image", f"{_RUNTIME}:{tag}")


CASES = (
    Case(
        IMAGE,
        "an image for Grace on an x86 machine",
        "disagg-b200",
        (_image(DECODE, "1.2.1-arm64"),),
        failed(IMAGE, DECODE),
        (
            f"its image {_RUNTIME}:1.2.1-arm64 is made for arm64, but it can land on amd64 "
            "(kubernetes.io/arch=amd64)",
        ),
    ),
    Case(
        IMAGE,
        "an image for x86 on an x86 machine",
        "disagg-b200",
        (_image(DECODE, "1.2.1-amd64"),),
        frozenset(),
    ),
    Case(
        IMAGE,
        "the architecture told by the product alone",
        "agg-gb200",
        (
            _image(AGG, "1.2.1-x86_64"),
            drop(GRAPH, f"spec.services.{AGG}.extraPodSpec.nodeSelector[kubernetes.io/arch]"),
        ),
        failed(IMAGE, AGG),
        ("is made for amd64, but it can land on arm64 (nvidia.com/gpu.product=NVIDIA-GB200)",),
    ),
    Case(
        IMAGE,
        "the architecture told by the pool alone",
        "trtllm-serve",
        (
            put(
                "Deployment",
                f"{_POD}.containers[0].image",
                "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14-amd64",
            ),
            put("Deployment", f"{_POD}.nodeSelector", {"nvidia.com/gpu.count": "4"}),
        ),
        failed(IMAGE, "trtllm-serve"),
        ("it can land on arm64 (pool p6e-gb200.36xlarge of p6e-gb200.36xlarge)",),
    ),
    Case(
        IMAGE,
        "nothing that tells the architecture",
        "disagg-b200",
        (put(GRAPH, "spec.services.Frontend.extraPodSpec.mainContainer.image", f"{_RUNTIME}:1.2.1-arm64"),),
        undecided(IMAGE, "Frontend"),
        (
            "neither a selection by kubernetes.io/arch nor a pool of nodes with GPUs says which its nodes "
            "have",
        ),
    ),
    Case(
        EFA_IMAGE,
        "the EFA image of 1.2 on a GB200 tray",
        "agg-gb200",
        (_image(AGG, "1.2.1-efa-amd64"),),
        failed(EFA_IMAGE, AGG),
        (f"its image {_RUNTIME}:1.2.1-efa-amd64 may hold amd64 alone, and it can land on arm64",),
    ),
    Case(
        EFA_IMAGE,
        "the EFA image of 1.2 on an x86 machine",
        "disagg-b200",
        (_image(DECODE, "1.2.1-efa-amd64"),),
        frozenset(),
    ),
    Case(
        AGGREGATED,
        "four GPUs of a B200 machine",
        "agg-gb200",
        (put(GRAPH, f"spec.services.{AGG}.extraPodSpec.nodeSelector", _B200_NODE),),
        failed(AGGREGATED, AGG),
        ("which is published for GB200 (arm64) only, and can land on B200 (amd64, pool p6-b200.48xlarge",),
        pools=B200,
    ),
    Case(
        AGGREGATED,
        "trtllm-serve with the same settings, which its guide has for B200 too",
        "trtllm-serve",
        (put("Deployment", f"{_POD}.nodeSelector", _B200_NODE),),
        frozenset(),
        pools=B200,
    ),
    Case(
        AGGREGATED,
        "attention data parallelism of a decode worker",
        "disagg-b200",
        (engine_file("decode.yaml", "enable_attention_dp", True),),
        frozenset(),
    ),
)
