"""What an API server refuses or drops, whatever it was meant to be."""

from tests.rules.case import On
from tests.rules.edits import add, drop, put
from tests.rules.serving_edits import GRAPH, PREFILL, VLLM_MAIN, main_container, of_service

KIND, FIELDS, VALUES, MAIN = "kind-served", "fields-known", "values-accepted", "main-container-named"

_VLLM = "spec.components[1]"
_POD = "spec.template.spec"

CASES = (
    On(KIND, "vllm-agg", "gpt-oss-vllm").fails(
        "a version of graphs that there is not",
        put(GRAPH, "apiVersion", "nvidia.com/v1"),
        (
            'the API server: no matches for kind "DynamoGraphDeployment" in version "nvidia.com/v1"',
            "DynamoGraphDeployment is served in nvidia.com/v1alpha1 and nvidia.com/v1beta1",
        ),
    ),
    On(KIND, "vllm-serve", "vllm-serve").fails(
        "a version of a built-in kind that is gone",
        put("Deployment", "apiVersion", "extensions/v1beta1"),
        "Deployment is served in apps/v1",
    ),
    On(FIELDS, "disagg-b200", PREFILL).fails(
        "a misspelt field of a service",
        of_service(PREFILL, "replicsa", 1),
        (
            f"spec.services.{PREFILL}.replicsa is no field of a DynamoGraphDeployment of nvidia.com/v1alpha1",
            " in Dynamo 1.2; the nearest field here is replicas",
            f'strict decoding error: unknown field "spec.services.{PREFILL}.replicsa"',
        ),
    ),
    On(FIELDS, "disagg-b200", PREFILL).fails(
        "a field a level too high",
        of_service(PREFILL, "workingDir", "/workspace"),
        ("workingDir belongs to", f" or {main_container(PREFILL, 'workingDir')}"),
    ),
    On(FIELDS, "disagg-b200", PREFILL).fails(
        "a field a level too low",
        of_service(PREFILL, "extraPodSpec.subComponentType", "prefill"),
        f"subComponentType belongs to spec.services.{PREFILL}.subComponentType",
    ),
    On(FIELDS, "vllm-agg", "VllmWorker").fails(
        "a field of the other API version",
        put(GRAPH, f"{_VLLM}.envFromSecret", "hf-token-secret"),
        "is no field of a DynamoGraphDeployment of nvidia.com/v1beta1 in Dynamo 1.2",
    ),
    On(FIELDS, "disagg-b200", PREFILL).fails(
        "a field that a later release has",
        of_service(PREFILL, "runtimeVersionOverride", "1.2.1"),
        "Dynamo 1.5 (development) has it",
    ),
    On(FIELDS, "vllm-agg", "VllmWorker").is_undecided(
        "a field that only some releases have, where nothing says which it is",
        (
            put(GRAPH, f"{VLLM_MAIN}.image", "example.com/engine:1.0.0"),
            put(GRAPH, "spec.components[0].podTemplate.spec.containers[0].image", "example.com/engine:1.0.0"),
            put(GRAPH, f"{_VLLM}.runtimeVersionOverride", "1.4.0"),
        ),
        "nothing says which release it is for",
    ),
    On(FIELDS, "vllm-serve", "vllm-serve").fails(
        "a field of a built-in kind",
        put("Deployment", f"{_POD}.nodeselector", {"a": "b"}),
        (
            "spec.template.spec.nodeselector is no field of a Deployment",
            "the nearest field here is nodeSelector",
        ),
    ),
    On(FIELDS, "vllm-serve").passes(
        "what an API server adds to an object that it hands out",
        (
            put("Deployment", "status", {"replicas": 1}),
            put("Deployment", "metadata.uid", "9c1d"),
            put("Deployment", "metadata.managedFields", [{"manager": "x", "fieldsV1": {"f:spec": {}}}]),
        ),
    ),
    On(VALUES, "disagg-b200", PREFILL).fails(
        "a number of GPUs without quotes",
        of_service(PREFILL, "resources.limits.gpu", 1),
        (
            f"spec.services.{PREFILL}.resources.limits.gpu is 1, without quotes a number",
            'in body must be of type string: "integer"',
        ),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "a text where a number stands",
        put("Deployment", "spec.progressDeadlineSeconds", "long"),
        "is the text 'long', not of type integer; the API server: json: cannot unmarshal string",
    ),
    On(VALUES, "vllm-agg", "VllmWorker").fails(
        "the type that older recipes give a worker",
        put(GRAPH, f"{_VLLM}.type", "main"),
        'Unsupported value: "main": supported values: "frontend", "worker", "prefill"',
    ),
    On(VALUES, "disagg-b200", PREFILL).fails(
        "a variable that stands twice",
        add(GRAPH, main_container(PREFILL, "env"), {"name": "HF_HUB_OFFLINE", "value": "1"}),
        ("the API server: spec", 'Duplicate value: {"name":"HF_HUB_OFFLINE"}'),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "a Deployment without a selector",
        drop("Deployment", "spec.selector"),
        ("spec.selector is absent (judge a patch by", "the API server: spec.selector: Required value"),
    ),
    On(VALUES, "disagg-b200", PREFILL).is_undecided(
        "a placeholder for a number",
        of_service(PREFILL, "extraPodSpec.priority", "${PRIORITY}"),
        "is ${PRIORITY}, which something is to replace",
    ),
    On(MAIN, "vllm-agg", "VllmWorker").fails(
        "a container of another name",
        put(GRAPH, f"{VLLM_MAIN}.name", "engine"),
        "no container of the pod template is called main: its containers are engine",
    ),
)
