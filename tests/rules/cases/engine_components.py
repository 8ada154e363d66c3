"""What the operator makes of a graph's components, by their types, roles, mounts and annotations."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import document, drop, put, text
from tests.rules.serving_edits import GRAPH, PREFILL, WORKER, of_service, runtime

KNOWN = "component-type-known"
_WORKER = "spec.components[1]"
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
_SGLANG_DECODE = "spec.components[2].podTemplate.spec"
MOUNTS = "service-mounts-kept"
_MOUNT = [{"name": "model-cache", "mountPoint": "/opt/models"}]
_CLAIMS = put(GRAPH, "spec.pvcs", [{"name": "model-cache", "create": False}])
_FRONTEND_POD = "spec.services.Frontend.extraPodSpec"


CASES = (
    Case(
        KNOWN,
        "the type of older recipes",
        "agg-gb200",
        (of_service(WORKER, "componentType", "main"),),
        failed(KNOWN, WORKER),
        ("componentType is main, which the operator does not know", "no system port, no probes"),
    ),
    Case(
        KNOWN,
        "a type that asks for none of the operator's defaults",
        "agg-gb200",
        (document(_PLANNER),),
    ),
    Case(
        KNOWN,
        "no type",
        "agg-gb200",
        (drop(GRAPH, f"spec.services.{WORKER}.componentType"),),
        failed(KNOWN, WORKER),
        ("has no componentType",),
    ),
    Case(
        KNOWN,
        "a subtype that there is not",
        "agg-gb200",
        (of_service(WORKER, "subComponentType", "both"),),
        failed(KNOWN, WORKER),
        ("subComponentType is both, not prefill or decode",),
    ),
    Case(
        KNOWN,
        "types of prefill and decode that are exchanged",
        "disagg-b200",
        (of_service(PREFILL, "subComponentType", "decode"),),
        failed(KNOWN, PREFILL),
        ("its type is decode, but its command line makes it prefill",),
    ),
    Case(
        KNOWN,
        "SGLang whose file may tell it to decode",
        "sglang-disagg",
        (put(GRAPH, f"{_SGLANG_DECODE}.containers[0].args[2]", "--config=/etc/sglang/decode.yaml"),),
        undecided(KNOWN, "Decode"),
        ("its role may stand in its --config file, which this does not read",),
    ),
    Case(
        KNOWN,
        "an engine in a frontend",
        "vllm-agg",
        (put(GRAPH, f"{_WORKER}.type", "frontend"),),
        failed(KNOWN, "VllmWorker"),
        ("its type is frontend, but it starts dynamo.vllm",),
    ),
    Case(
        KNOWN,
        "a decode worker that is told to do both",
        "vllm-disagg-efa",
        (
            text(
                GRAPH,
                "spec.components[2].podTemplate.spec.containers[0].args[2]",
                "--disaggregation-mode=decode",
                "--disaggregation-mode=agg",
            ),
        ),
        failed(KNOWN, "Decode"),
        ("its type is decode, but its command line makes it aggregated",),
    ),
    Case(
        MOUNTS,
        "a claim of the service beside the engine's files",
        "agg-gb200",
        (_CLAIMS, of_service(WORKER, "volumeMounts", _MOUNT)),
        failed(MOUNTS, WORKER),
        (
            "mounts model-cache at /opt/models as volumeMounts of the service, beside volumeMounts of its "
            "mainContainer, which the operator of 1.2 keeps alone",
        ),
    ),
    Case(
        MOUNTS,
        "a claim of a service whose container mounts nothing else",
        "agg-gb200",
        (
            _CLAIMS,
            of_service("Frontend", "volumeMounts", _MOUNT),
            drop(GRAPH, f"{_FRONTEND_POD}.volumes"),
            drop(GRAPH, f"{_FRONTEND_POD}.mainContainer.volumeMounts"),
        ),
    ),
    Case(
        MOUNTS,
        "images of two releases, of which none says the operator's",
        "agg-gb200",
        (_CLAIMS, of_service(WORKER, "volumeMounts", _MOUNT), runtime(WORKER, "1.4.0")),
        undecided(MOUNTS, WORKER),
        ("1.2 and 1.4 says of which release the operator is",),
    ),
)
