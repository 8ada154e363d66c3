"""What the operator makes of a graph's components, by their types, roles, mounts and annotations."""

from tests.rules.case import On
from tests.rules.edits import document, drop, put
from tests.rules.names import DECODE, GRAPH, PREFILL, WORKER
from tests.rules.serving_edits import command, main_container, of_service, runtime

KNOWN = "component-type-known"
_PLANNER = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: planner, namespace: gpt-oss}
spec:
  services:
    GlobalPlanner:
      componentType: default
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.2.1
          command: [python3, -m, dynamo.global_planner]
"""
_DECODE = "spec.components[2].podTemplate.spec"
MOUNTS = "service-mounts-kept"
_MOUNT = [{"name": "model-cache", "mountPoint": "/opt/models"}]
_CLAIMS = put(GRAPH, "spec.pvcs", [{"name": "model-cache", "create": False}])
_FRONTEND_POD = "spec.services.Frontend.extraPodSpec"

CASES = (
    On(KNOWN, "agg-gb200").passes("a type that asks for none of the operator's defaults", document(_PLANNER)),
    On(KNOWN, "agg-gb200", WORKER).fails(
        "no type", "has no componentType", drop(GRAPH, f"spec.services.{WORKER}.componentType")
    ),
    On(KNOWN, "agg-gb200", WORKER).fails(
        "a type of older recipes, in a patch without an image",
        "componentType is main, which the operator does not know",
        of_service(WORKER, "componentType", "main"),
        drop(GRAPH, main_container(WORKER, "image")),
    ),
    On(KNOWN, "agg-gb200", WORKER).fails(
        "an unknown subtype", "subComponentType is both", of_service(WORKER, "subComponentType", "both")
    ),
    On(KNOWN, "disagg-b200", PREFILL, DECODE).fails(
        "exchanged types of prefill and decode, and TensorRT-LLM without a word",
        "its type is decode, but its command line makes it prefill",
        of_service(PREFILL, "subComponentType", "decode"),
        "its type is decode, but its command line makes it aggregated",
        command(DECODE, "--disaggregation-mode decode ", ""),
    ),
    On(KNOWN, "sglang-disagg", "Decode").is_undecided(
        "SGLang whose file may tell it to decode",
        "its role may stand in its --config file, which this does not read",
        put(GRAPH, f"{_DECODE}.containers[0].args[2]", "--config=/etc/sglang/decode.yaml"),
    ),
    On(KNOWN, "vllm-agg", "VllmWorker").fails(
        "an engine in a frontend",
        "is frontend, but it starts dynamo.vllm",
        put(GRAPH, "spec.components[1].type", "frontend"),
    ),
    On(KNOWN, "vllm-disagg-efa", "Decode").fails(
        "a decode worker that is told to do both",
        "its type is decode, but its command line makes it aggregated",
        put(GRAPH, f"{_DECODE}.containers[0].args[2]", "--disaggregation-mode=agg"),
    ),
    On(KNOWN, "vllm-disagg-efa").passes(
        "a decode worker without a word: vLLM does both", drop(GRAPH, f"{_DECODE}.containers[0].args[2]")
    ),
    On(KNOWN, "vllm-disagg-efa").passes(
        "a decode worker whose image starts its engine",
        drop(GRAPH, f"{_DECODE}.containers[0].args"),
        drop(GRAPH, f"{_DECODE}.containers[0].command"),
    ),
    On(MOUNTS, "agg-gb200", WORKER).fails(
        "a claim of the service beside the engine's files",
        "as volumeMounts of the service, beside volumeMounts of its mainContainer, which the operator of 1.2",
        _CLAIMS,
        of_service(WORKER, "volumeMounts", _MOUNT),
    ),
    On(MOUNTS, "agg-gb200").passes(
        "a claim of a service whose container mounts nothing else",
        _CLAIMS,
        of_service("Frontend", "volumeMounts", _MOUNT),
        drop(GRAPH, f"{_FRONTEND_POD}.volumes"),
        drop(GRAPH, f"{_FRONTEND_POD}.mainContainer.volumeMounts"),
    ),
    On(MOUNTS, "agg-gb200", WORKER).is_undecided(
        "images of two releases, of which none says the operator's",
        "1.2 and 1.4 says of which release the operator is",
        _CLAIMS,
        of_service(WORKER, "volumeMounts", _MOUNT),
        runtime(WORKER, "1.4.0"),
    ),
)
