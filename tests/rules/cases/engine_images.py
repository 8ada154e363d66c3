"""Images, modules and frameworks that do not belong together, the platform that runs them, known defects."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import drop, engine_file, put, text
from tests.rules.exports import resource
from tests.rules.serving_edits import DECODE, GRAPH, RUNTIME, VLLM_MAIN, WORKER, variable

BRINGS = "image-brings-the-engine"
DEFECTS = "runtime-defects-avoided"
FRONTEND_THERE = "graph-has-a-frontend"
_REGISTRY = "nvcr.io/nvidia/ai-dynamo"
MATCHES = "runtime-matches-platform"
STATE = "disagg-b200-state"
_GRAPH, _PLATFORM = "DynamoGraphDeployment/gpt-oss-disagg", "Release/dynamo-platform"
_IMAGE = f"inputs.spec.services.{DECODE}.extraPodSpec.mainContainer.image"

CASES = (
    Case(
        BRINGS,
        "a tag of vLLM's own image without its v",
        "vllm-serve",
        (put("Deployment", "spec.template.spec.containers[0].image", "docker.io/vllm/vllm-openai:0.20.1"),),
        failed(BRINGS, "vllm-serve"),
        ("its tags begin with v, as v0.20.1",),
    ),
    Case(
        BRINGS,
        "a tag of git in place of the image's",
        "vllm-agg",
        (text(GRAPH, f"{VLLM_MAIN}.image", "runtime:", "runtime:v"),),
        failed(BRINGS, "VllmWorker"),
        ("its tags have no v before the version",),
    ),
    Case(
        BRINGS,
        "the image of another engine",
        "vllm-agg",
        (text(GRAPH, f"{VLLM_MAIN}.image", "vllm-runtime", "sglang-runtime"),),
        failed(BRINGS, "VllmWorker"),
        ("starts dynamo.vllm, but its image", "holds dynamo.sglang"),
    ),
    Case(
        BRINGS,
        "the image of a frontend",
        "vllm-agg",
        (text(GRAPH, f"{VLLM_MAIN}.image", "vllm-runtime", "dynamo-frontend"),),
        failed(BRINGS, "VllmWorker"),
        ("dynamo-frontend:1.2.1 holds no engine",),
    ),
    Case(
        BRINGS,
        "another engine in backendFramework",
        "vllm-agg",
        (put(GRAPH, "spec.backendFramework", "trtllm"),),
        failed(BRINGS, "VllmWorker"),
        ("starts dynamo.vllm, but backendFramework of its graph is trtllm: the operator refuses it",),
    ),
    Case(
        BRINGS,
        "a registry without its first part",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.image", "nvcr.io/ai-dynamo/vllm-runtime:1.2.1"),),
        failed(BRINGS, "VllmWorker"),
        (f"the repository is {_REGISTRY}/vllm-runtime",),
    ),
    Case(
        BRINGS,
        "a copy in another organisation's registry",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.image", "nvcr.io/acme/mirror/vllm-runtime:1.2.1"),),
    ),
    Case(
        DEFECTS,
        "attention data parallelism on GB200 in the release that crashes",
        "agg-gb200",
        (variable(WORKER, "TRTLLM_FORCE_COMM_METHOD", ""),),
        failed(DEFECTS, WORKER),
        ("on GB200", "without TRTLLM_FORCE_COMM_METHOD=ALLGATHER"),
    ),
    Case(
        DEFECTS,
        "without attention data parallelism",
        "agg-gb200",
        (
            variable(WORKER, "TRTLLM_FORCE_COMM_METHOD", ""),
            engine_file("worker.yaml", "enable_attention_dp", value=False),
        ),
    ),
    Case(
        FRONTEND_THERE,
        "a frontend without replicas",
        "vllm-agg",
        (put(GRAPH, "spec.components[0].replicas", 0),),
        failed(FRONTEND_THERE, "gpt-oss-vllm"),
        ("nothing that was read answers HTTP for VllmWorker",),
    ),
    Case(
        MATCHES,
        "a worker of a newer release",
        STATE,
        (resource(_GRAPH, _IMAGE, f"{RUNTIME}:1.3.1"),),
        failed(MATCHES, DECODE),
        (f"image {RUNTIME}:1.3.1 runs under platform 1.2.1 (dynamo-platform)",),
    ),
    Case(
        MATCHES,
        "a newer platform and an image without a version",
        STATE,
        (
            resource(_PLATFORM, "inputs.version", "1.4.2"),
            resource(_GRAPH, _IMAGE, f"{RUNTIME}@sha256:{'0' * 64}"),
        ),
        failed(MATCHES, DECODE, "Frontend", "TrtllmPrefillWorker"),
        ("has a digest, or no version as its tag, and no runtimeVersionOverride says it",),
    ),
    Case(
        MATCHES,
        "a newer platform that is told the version",
        STATE,
        (
            resource(_PLATFORM, "inputs.version", "1.4.2"),
            resource(_GRAPH, _IMAGE, f"{RUNTIME}@sha256:{'0' * 64}"),
            resource(_GRAPH, f"inputs.spec.services.{DECODE}.runtimeVersionOverride", "1.4.2"),
        ),
        failed(MATCHES, "Frontend", "TrtllmPrefillWorker") | undecided(MATCHES, DECODE),
        (
            f"image {RUNTIME}:1.2.1 runs under platform 1.4.2 (dynamo-platform)",
            "does not say which release it is of",
        ),
    ),
    Case(
        BRINGS,
        "TensorRT-LLM before gpt-oss",
        "trtllm-serve",
        (text("Deployment", "spec.template.spec.containers[0].image", "1.3.0rc14", "0.20.0"),),
        failed(BRINGS, "engine"),
        ("release:0.20.0 cannot load gpt-oss-120b, which TensorRT-LLM knows from 1.0 on",),
    ),
    Case(
        BRINGS,
        "vLLM before gpt-oss, started by its image",
        "vllm-serve",
        (
            text("Deployment", "spec.template.spec.containers[0].image", "v0.20.1", "v0.9.2"),
            drop("Deployment", "spec.template.spec.containers[0].command"),
        ),
        failed(BRINGS, "engine"),
        ("v0.9.2 cannot load gpt-oss-120b, which vLLM knows from 0.10.1 on",),
    ),
)
