"""Images, modules and frameworks that do not belong together, and known defects of runtimes."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import drop, engine_file, put, text
from tests.rules.serving_edits import GRAPH, WORKER, variable

BRINGS = "image-brings-the-engine"
DEFECTS = "runtime-defects-avoided"
FRONTEND_THERE = "graph-has-a-frontend"
_VLLM_WORKER = "spec.components[1].podTemplate.spec.containers[0]"
_REGISTRY = "nvcr.io/nvidia/ai-dynamo"

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
    Case(
        BRINGS,
        "the image of another engine",
        "vllm-agg",
        (text(GRAPH, f"{_VLLM_WORKER}.image", "vllm-runtime", "sglang-runtime"),),
        failed(BRINGS, "VllmWorker"),
        ("starts dynamo.vllm, but its image", "holds dynamo.sglang"),
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
        "an image that no release notes list",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM_WORKER}.image", f"{_REGISTRY}/llama-engine:1.2.1"),),
        undecided(BRINGS, "VllmWorker"),
        (f"whether {_REGISTRY}/llama-engine is published is not known here", "vllm-runtime-xpu"),
    ),
    Case(
        BRINGS,
        "a registry without its first part",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM_WORKER}.image", "nvcr.io/ai-dynamo/vllm-runtime:1.2.1"),),
        failed(BRINGS, "VllmWorker"),
        (f"the repository is {_REGISTRY}/vllm-runtime",),
    ),
    Case(
        BRINGS,
        "a copy in another organisation's registry",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM_WORKER}.image", "nvcr.io/acme/mirror/vllm-runtime:1.2.1"),),
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
        ("nothing that was read answers HTTP for VllmWorker: Frontend has replicas: 0",),
    ),
    Case(
        FRONTEND_THERE,
        "no frontend",
        "vllm-agg",
        (drop(GRAPH, "spec.components[0]"),),
        failed(FRONTEND_THERE, "gpt-oss-vllm"),
    ),
)
