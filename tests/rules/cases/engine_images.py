"""Images, modules and frameworks that do not belong together, the platform that runs them, known defects."""

from tests.rules.case import On
from tests.rules.edits import add, document, drop, engine_file, put, text
from tests.rules.exports import resource
from tests.rules.names import DECODE, GRAPH, RUNTIME, VLLM_MAIN, WORKER
from tests.rules.serving_edits import variable

BRINGS = "image-brings-the-engine"
FRONTEND_THERE = "graph-has-a-frontend"
MATCHES = "runtime-matches-platform"
STATE = "disagg-b200-state"
_GRAPH, _PLATFORM = "DynamoGraphDeployment/gpt-oss-disagg", "Release/dynamo-platform"
_IMAGE = f"inputs.spec.services.{DECODE}.extraPodSpec.mainContainer.image"
_ENTRANCE, _ENGINES = "spec.components[0]", "spec.components[1]"
_PICKER = {
    "name": "Picker",
    "type": "epp",
    "replicas": 1,
    "podTemplate": {"spec": {"containers": [{"name": "main"}]}},
}

CASES = (
    On(BRINGS, "vllm-serve", "vllm-serve").fails(
        "a tag of vLLM's own image without its v",
        "its tags begin with v, as v0.20.1",
        put("Deployment", "spec.template.spec.containers[0].image", "docker.io/vllm/vllm-openai:0.20.1"),
    ),
    On(BRINGS, "vllm-agg", "VllmWorker").fails(
        "a tag of git in place of the image's",
        "its tags have no v before the version",
        text(GRAPH, f"{VLLM_MAIN}.image", "runtime:", "runtime:v"),
    ),
    On(BRINGS, "vllm-agg", "VllmWorker").fails(
        "the image of another engine, and another engine in backendFramework",
        "starts dynamo.vllm, but its image",
        "holds dynamo.sglang",
        text(GRAPH, f"{VLLM_MAIN}.image", "vllm-runtime", "sglang-runtime"),
        "starts dynamo.vllm, but backendFramework of its graph is trtllm: the operator refuses it",
        put(GRAPH, "spec.backendFramework", "trtllm"),
    ),
    On(BRINGS, "vllm-agg", "VllmWorker").fails(
        "the image of a frontend",
        "dynamo-frontend:1.2.1 holds no engine",
        text(GRAPH, f"{VLLM_MAIN}.image", "vllm-runtime", "dynamo-frontend"),
    ),
    On(BRINGS, "vllm-agg", "VllmWorker").fails(
        "a registry without its first part",
        "the repository is nvcr.io/nvidia/ai-dynamo/vllm-runtime",
        put(GRAPH, f"{VLLM_MAIN}.image", "nvcr.io/ai-dynamo/vllm-runtime:1.2.1"),
    ),
    *(
        On(BRINGS, "vllm-agg", "VllmWorker").fails(
            name,
            "has capital letters, which no path may have (InvalidImageName)",
            put(GRAPH, f"{VLLM_MAIN}.image", image),
        )
        for name, image in (
            ("the publisher's own name in capitals", "nvcr.io/NVIDIA/ai-dynamo/vllm-runtime:1.2.1"),
            ("a capital letter in another's path", "ghcr.io/acme/vLLM-runtime:1.2.1"),
        )
    ),
    On(BRINGS, "vllm-agg").passes(
        "a registry in capitals, and a path to be filled in",
        put(GRAPH, f"{VLLM_MAIN}.image", "Acme:5000/vllm-runtime:1.2.1"),
        put(
            GRAPH,
            "spec.components[0].podTemplate.spec.containers[0].image",
            "us-docker.pkg.dev/PROJECT_ID/a/dynamo-frontend:1.2.1",
        ),
    ),
    On(BRINGS, "vllm-agg").passes(
        "another's registry", put(GRAPH, f"{VLLM_MAIN}.image", "nvcr.io/acme/mirror/vllm-runtime:1.2.1")
    ),
    On("runtime-defects-avoided", "agg-gb200", WORKER).fails(
        "attention data parallelism on GB200 in the release that crashes",
        ("on GB200", "without TRTLLM_FORCE_COMM_METHOD=ALLGATHER"),
        variable(WORKER, "TRTLLM_FORCE_COMM_METHOD", ""),
    ),
    On("runtime-defects-avoided", "agg-gb200").passes(
        "without attention data parallelism",
        variable(WORKER, "TRTLLM_FORCE_COMM_METHOD", ""),
        engine_file("worker.yaml", "enable_attention_dp", value=False),
    ),
    On(FRONTEND_THERE, "vllm-agg", "gpt-oss-vllm").fails(
        "a frontend without replicas",
        "nothing that was read answers HTTP for VllmWorker",
        put(GRAPH, "spec.components[0].replicas", 0),
    ),
    *(
        On(FRONTEND_THERE, "vllm-agg").passes(name, put(GRAPH, f"{_ENTRANCE}.replicas", 0), edit)
        for name, edit in (
            (
                "a gateway that chooses among workers",
                document(
                    "{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: a}}"
                ),
            ),
            ("a picker of endpoints for a gateway", add(GRAPH, "spec.components", _PICKER)),
            ("a frontend in the pod of a worker", put(GRAPH, f"{_ENGINES}.frontendSidecar", {"image": "a"})),
            ("a component that cannot be read", add(GRAPH, "spec.components", {"podTemplate": "a"})),
            ("a worker whose engine is not seen", put(GRAPH, f"{VLLM_MAIN}.command", ["/start"])),
            ("a number of frontends that is none", put(GRAPH, f"{_ENTRANCE}.replicas", "two")),
        )
    ),
    On(FRONTEND_THERE, "vllm-agg").passes(
        "a frontend that a script starts, which cannot be read",
        put(GRAPH, f"{_ENTRANCE}.podTemplate.spec.containers[0].command", ["/start"]),
    ),
    On(MATCHES, STATE, DECODE).advises(
        "a worker of a newer release",
        f"image {RUNTIME}:1.3.1 runs under platform 1.2.1 (dynamo-platform)",
        resource(_GRAPH, _IMAGE, f"{RUNTIME}:1.3.1"),
    ),
    On(MATCHES, STATE, DECODE, "Frontend", "TrtllmPrefillWorker").fails(
        "a newer platform and an image without a version",
        "has a digest, or no version as its tag, and no runtimeVersionOverride says it",
        resource(_PLATFORM, "inputs.version", "1.4.2"),
        resource(_GRAPH, _IMAGE, f"{RUNTIME}@sha256:{'0' * 64}"),
        advises=("Frontend", "TrtllmPrefillWorker"),
    ),
    On(MATCHES, STATE, "Frontend", "TrtllmPrefillWorker").advises(
        "a newer platform that is told the version",
        f"image {RUNTIME}:1.2.1 runs under platform 1.4.2 (dynamo-platform)",
        "does not say which release it is of",
        resource(_PLATFORM, "inputs.version", "1.4.2"),
        resource(_GRAPH, _IMAGE, f"{RUNTIME}@sha256:{'0' * 64}"),
        resource(_GRAPH, f"inputs.spec.services.{DECODE}.runtimeVersionOverride", "1.4.2"),
        undecided_for=(DECODE,),
    ),
    On(BRINGS, "trtllm-serve", "engine").fails(
        "TensorRT-LLM before gpt-oss",
        "release:0.20.0 cannot load gpt-oss-120b, which TensorRT-LLM knows from 1.0 on",
        text("Deployment", "spec.template.spec.containers[0].image", "1.3.0rc14", "0.20.0"),
    ),
    On(BRINGS, "vllm-serve", "engine").fails(
        "vLLM before gpt-oss, started by its image",
        "v0.9.2 cannot load gpt-oss-120b, which vLLM knows from 0.10.1 on",
        text("Deployment", "spec.template.spec.containers[0].image", "v0.20.1", "v0.9.2"),
        drop("Deployment", "spec.template.spec.containers[0].command"),
    ),
)
