"""Halves of disaggregated serving, and amounts that no node has."""

from tests.rules.case import On
from tests.rules.edits import add, document, drop, put, text
from tests.rules.exports import LATER, resource, unset
from tests.rules.names import DECODE, GRAPH, PREFILL, SNAPSHOT, VLLM_ARGS, VLLM_MAIN, WORKER
from tests.rules.serving_edits import runtime, variable

ROLES = "roles-complete"
_PREFILL = "spec.components[1]"
_PLANNER = {"name": "Planner", "type": "planner", "podTemplate": {"spec": {"containers": [{"name": "main"}]}}}
_UNSEEN = {
    "name": "Unseen",
    "podTemplate": {
        "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
    },
}
_DECODE = "spec.components[2].podTemplate.spec.containers[0]"
_STATE = f"{GRAPH}/gpt-oss-disagg"
_WHOLE = """
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: whole, namespace: gpt-oss}
spec:
  components:
    - name: Whole
      type: worker
      podTemplate:
        spec:
          containers:
            - {name: main, image: docker.io/a/a@sha256:1, command: [python3, -m, dynamo.sglang]}
---
"""
_ROUTER = """
apiVersion: v1
kind: Pod
metadata: {{name: router, namespace: gpt-oss}}
spec: {{containers: [{{name: main, image: docker.io/a/a@sha256:1, {}}}]}}
"""
_TOLD = _ROUTER.format("env: [{name: DYN_NAMESPACE, value: all}]")

CASES = (
    On(ROLES, "sglang-disagg", "gpt-oss-sglang").fails(
        "prefill alone beside a whole graph of its namespace, and a router of another",
        "Prefill prefills, and no worker of the graph decodes: no request is answered",
        drop(GRAPH, "spec.components[2]"),
        document(_WHOLE + _TOLD.replace("namespace: gpt-oss", "namespace: elsewhere")),
    ),
    On(ROLES, "sglang-disagg").passes(
        "prefill alone, a whole graph, a router", drop(GRAPH, "spec.components[2]"), document(_WHOLE + _TOLD)
    ),
    On(ROLES, "published-disagg", "gpt-oss-disagg").fails(
        "prefill alone, with a dynamoNamespace, which the operator does not read",
        "TrtllmPrefillWorker prefills, and no worker of the graph decodes",
        drop(GRAPH, "spec.services.TrtllmDecodeWorker"),
        runtime(PREFILL, "1.2.0"),
    ),
    *(
        On(ROLES, "published-disagg").passes(name, drop(GRAPH, "spec.services.TrtllmDecodeWorker"), *edits)
        for name, *edits in (
            ("prefill alone, with a dynamoNamespace, which the operator reads", runtime(PREFILL, "1.1.1")),
            (
                "prefill alone, in the namespace of all",
                runtime(PREFILL, "1.2.0"),
                put(GRAPH, f"spec.services.{PREFILL}.globalDynamoNamespace", value=True),
            ),
        )
    ),
    On(ROLES, "vllm-disagg-efa").passes("decode of vLLM alone, which does both", drop(GRAPH, _PREFILL)),
    *(
        On(ROLES, "sglang-disagg").passes(name, put(GRAPH, f"{_PREFILL}.replicas", 0), edit)
        for name, edit in (
            ("a prefill worker that a scaling adapter counts", put(GRAPH, f"{_PREFILL}.scalingAdapter", {})),
            ("prefill that an autoscaler counts", put(GRAPH, f"{_PREFILL}.autoscaling", {"enabled": True})),
            ("a prefill worker that a planner counts", add(GRAPH, "spec.components", _PLANNER)),
            ("a component that cannot be read", add(GRAPH, "spec.components", {"podTemplate": "a"})),
            ("an engine beside it that is not seen", add(GRAPH, "spec.components", _UNSEEN)),
            ("a router that is told another namespace", document(_ROUTER.format("args: [--namespace=all]"))),
        )
    ),
    On(ROLES, "disagg-b200-state", "gpt-oss-disagg").is_undecided(
        "prefill alone, in a namespace that only the update knows",
        "globalDynamoNamespace",
        unset(_STATE, f"inputs.spec.services.{DECODE}"),
        resource(_STATE, f"inputs.spec.services.{PREFILL}.globalDynamoNamespace", LATER),
    ),
    On(ROLES, "sglang-disagg", "gpt-oss-sglang").fails(
        "a prefill worker without replicas, under SGLang",
        "Decode decodes, and no worker of the graph prefills: each request ends with an error",
        put(GRAPH, "spec.components[1].replicas", 0),
    ),
    On("worker-fits-node", "vllm-agg", "VllmWorker").fails(
        "more GPUs in one pod than any node has",
        "asks for 3072 GiB of memory in one pod, and a node of its pool (p6-b200.48xlarge) has at most",
        "asks for 200 CPUs in one pod",
        put(GRAPH, f"{VLLM_MAIN}.resources.requests.memory", "3Ti"),
        put(GRAPH, f"{VLLM_MAIN}.resources.limits.memory", "3Ti"),
        put(GRAPH, f"{VLLM_MAIN}.resources.requests.cpu", "200"),
    ),
    On("sequence-length-within-model", "vllm-agg", "VllmWorker").fails(
        "a step of vLLM that is too short without chunks",
        "--max-num-batched-tokens 32768 is less than --max-model-len 131072, and chunked prefill is off",
        text(GRAPH, f"{VLLM_ARGS}[8]", "--enable", "--no-enable"),
    ),
    On("model-path-mounted", "vllm-agg", "VllmWorker").fails(
        "a repository that may not be asked for",
        "may not ask the hub (HF_HUB_OFFLINE) for openai/gpt-oss-120b",
        text(GRAPH, f"{VLLM_ARGS}[0]", SNAPSHOT, "openai/gpt-oss-120b"),
        drop(GRAPH, f"{VLLM_MAIN}.volumeMounts"),
    ),
    On("engine-settings-accepted", "agg-gb200", WORKER).fails(
        "a directory that is nearly the mounted one",
        "lies in no mounted volume; /opt/dynamo/configs is mounted",
        variable(WORKER, "ENGINE_ARGS", "/opt/dynamo/config/worker.yaml"),
    ),
    On("prefill-and-decode-agree", "vllm-disagg-efa", "Prefill, Decode").fails(
        "another name in vLLM's decode worker that is not told its role",
        "Decode gpt-oss (--served-model-name)",
        put(GRAPH, f"{_DECODE}.args[1]", "--served-model-name=gpt-oss"),
        put(GRAPH, f"{_DECODE}.args[2]", "--enable-chunked-prefill"),
    ),
)
