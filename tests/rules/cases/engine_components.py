"""What the operator makes of a graph's components, by their types and roles."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import document, drop, put, text
from tests.rules.serving_edits import (
    GRAPH,
    PREFILL,
    WORKER,
    of_service,
)

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
)
