"""What an API server refuses or drops, whatever it was meant to be."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, drop, put
from tests.rules.serving_edits import GRAPH, PREFILL, VLLM_MAIN, main_container, of_service

KIND, FIELDS, VALUES, MAIN = "kind-served", "fields-known", "values-accepted", "main-container-named"

_VLLM = "spec.components[1]"
_POD = "spec.template.spec"

CASES = (
    Case(
        KIND,
        "a version of graphs that there is not",
        "vllm-agg",
        (put(GRAPH, "apiVersion", "nvidia.com/v1"),),
        failed(KIND, "gpt-oss-vllm"),
        (
            'the API server: no matches for kind "DynamoGraphDeployment" in version "nvidia.com/v1"',
            "DynamoGraphDeployment is served in nvidia.com/v1alpha1 and nvidia.com/v1beta1",
        ),
    ),
    Case(
        KIND,
        "a version of a built-in kind that is gone",
        "vllm-serve",
        (put("Deployment", "apiVersion", "extensions/v1beta1"),),
        failed(KIND, "vllm-serve"),
        ("Deployment is served in apps/v1",),
    ),
    Case(
        FIELDS,
        "a misspelt field of a service",
        "disagg-b200",
        (of_service(PREFILL, "replicsa", 1),),
        failed(FIELDS, PREFILL),
        (
            f"spec.services.{PREFILL}.replicsa is no field of a DynamoGraphDeployment of nvidia.com/v1alpha1",
            " in Dynamo 1.2; the nearest field here is replicas",
            f'strict decoding error: unknown field "spec.services.{PREFILL}.replicsa"',
        ),
    ),
    Case(
        FIELDS,
        "a field a level too high",
        "disagg-b200",
        (of_service(PREFILL, "workingDir", "/workspace"),),
        failed(FIELDS, PREFILL),
        ("workingDir belongs to", f" or {main_container(PREFILL, 'workingDir')}"),
    ),
    Case(
        FIELDS,
        "a field a level too low",
        "disagg-b200",
        (of_service(PREFILL, "extraPodSpec.subComponentType", "prefill"),),
        failed(FIELDS, PREFILL),
        (f"subComponentType belongs to spec.services.{PREFILL}.subComponentType",),
    ),
    Case(
        FIELDS,
        "a field of the other API version",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.envFromSecret", "hf-token-secret"),),
        failed(FIELDS, "VllmWorker"),
        ("is no field of a DynamoGraphDeployment of nvidia.com/v1beta1 in Dynamo 1.2",),
    ),
    Case(
        FIELDS,
        "a field that a later release has",
        "disagg-b200",
        (of_service(PREFILL, "runtimeVersionOverride", "1.2.1"),),
        failed(FIELDS, PREFILL),
        ("Dynamo 1.5 (development) has it",),
    ),
    Case(
        FIELDS,
        "a field that only some releases have, where nothing says which it is",
        "vllm-agg",
        (
            put(GRAPH, f"{VLLM_MAIN}.image", "example.com/engine:1.0.0"),
            put(GRAPH, "spec.components[0].podTemplate.spec.containers[0].image", "example.com/engine:1.0.0"),
            put(GRAPH, f"{_VLLM}.runtimeVersionOverride", "1.4.0"),
        ),
        undecided(FIELDS, "VllmWorker"),
        ("nothing says which release it is for",),
    ),
    Case(
        FIELDS,
        "a field of a built-in kind",
        "vllm-serve",
        (put("Deployment", f"{_POD}.nodeselector", {"a": "b"}),),
        failed(FIELDS, "vllm-serve"),
        (
            "spec.template.spec.nodeselector is no field of a Deployment",
            "the nearest field here is nodeSelector",
        ),
    ),
    Case(
        FIELDS,
        "what an API server adds to an object that it hands out",
        "vllm-serve",
        (
            put("Deployment", "status", {"replicas": 1}),
            put("Deployment", "metadata.uid", "9c1d"),
            put("Deployment", "metadata.managedFields", [{"manager": "x", "fieldsV1": {"f:spec": {}}}]),
        ),
    ),
    Case(
        VALUES,
        "a number of GPUs without quotes",
        "disagg-b200",
        (of_service(PREFILL, "resources.limits.gpu", 1),),
        failed(VALUES, PREFILL),
        (
            f"spec.services.{PREFILL}.resources.limits.gpu is 1, without quotes a number",
            'in body must be of type string: "integer"',
        ),
    ),
    Case(
        VALUES,
        "a text where a number stands",
        "vllm-serve",
        (put("Deployment", "spec.progressDeadlineSeconds", "long"),),
        failed(VALUES, "vllm-serve"),
        ("is the text 'long', not of type integer; the API server: json: cannot unmarshal string",),
    ),
    Case(
        VALUES,
        "the type that older recipes give a worker",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM}.type", "main"),),
        failed(VALUES, "VllmWorker"),
        ('Unsupported value: "main": supported values: "frontend", "worker", "prefill"',),
    ),
    Case(
        VALUES,
        "a variable that stands twice",
        "disagg-b200",
        (add(GRAPH, main_container(PREFILL, "env"), {"name": "HF_HUB_OFFLINE", "value": "1"}),),
        failed(VALUES, PREFILL),
        ("the API server: spec", 'Duplicate value: {"name":"HF_HUB_OFFLINE"}'),
    ),
    Case(
        VALUES,
        "a Deployment without a selector",
        "vllm-serve",
        (drop("Deployment", "spec.selector"),),
        failed(VALUES, "vllm-serve"),
        ("spec.selector is absent (judge a patch by", "the API server: spec.selector: Required value"),
    ),
    Case(
        VALUES,
        "a placeholder for a number",
        "disagg-b200",
        (of_service(PREFILL, "extraPodSpec.priority", "${PRIORITY}"),),
        undecided(VALUES, PREFILL),
        ("is ${PRIORITY}, which something is to replace",),
    ),
    Case(
        MAIN,
        "a container of another name",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.name", "engine"),),
        failed(MAIN, "VllmWorker"),
        ("no container of the pod template is called main: its containers are engine",),
    ),
)
