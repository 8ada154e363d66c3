"""What an API server refuses or drops, whatever it was meant to be."""

from tests.rules.case import On
from tests.rules.edits import add, drop, put
from tests.rules.names import GRAPH, PREFILL, VLLM_MAIN
from tests.rules.serving_edits import main_container, of_service

KIND, FIELDS, VALUES, MAIN = "kind-served", "fields-known", "values-accepted", "main-container-named"

_VLLM = "spec.components[1]"

CASES = (
    On(KIND, "vllm-agg", "gpt-oss-vllm").fails(
        "a version of graphs that there is not",
        'the API server: no matches for kind "DynamoGraphDeployment" in version "nvidia.com/v1"',
        "DynamoGraphDeployment is served in nvidia.com/v1alpha1 and nvidia.com/v1beta1",
        put(GRAPH, "apiVersion", "nvidia.com/v1"),
    ),
    On(KIND, "vllm-serve", "vllm-serve").fails(
        "a version of a built-in kind that is gone",
        "Deployment is served in apps/v1",
        put("Deployment", "apiVersion", "extensions/v1beta1"),
    ),
    On(FIELDS, "disagg-b200", PREFILL).fails(
        "fields misspelt, a level too high or too low, and of a later release",
        f"spec.services.{PREFILL}.replicsa is no field of a DynamoGraphDeployment of nvidia.com/v1alpha1",
        " in Dynamo 1.2; the nearest field here is replicas",
        f'strict decoding error: unknown field "spec.services.{PREFILL}.replicsa"',
        of_service(PREFILL, "replicsa", 1),
        "workingDir belongs to",
        f" or {main_container(PREFILL, 'workingDir')}",
        of_service(PREFILL, "workingDir", "/workspace"),
        f"subComponentType belongs to spec.services.{PREFILL}.subComponentType",
        of_service(PREFILL, "extraPodSpec.subComponentType", "prefill"),
        "Dynamo 1.5 (development) has it",
        of_service(PREFILL, "runtimeVersionOverride", "1.2.1"),
    ),
    On(FIELDS, "vllm-agg", "VllmWorker").fails(
        "a field of the other API version",
        "is no field of a DynamoGraphDeployment of nvidia.com/v1beta1 in Dynamo 1.2",
        put(GRAPH, f"{_VLLM}.envFromSecret", "hf-token-secret"),
    ),
    On(FIELDS, "vllm-agg", "VllmWorker").is_undecided(
        "a field that only some releases have, where nothing says which it is",
        "nothing says which release it is for",
        put(GRAPH, f"{VLLM_MAIN}.image", "example.com/engine:1.0.0"),
        put(GRAPH, "spec.components[0].podTemplate.spec.containers[0].image", "example.com/engine:1.0.0"),
        put(GRAPH, f"{_VLLM}.runtimeVersionOverride", "1.4.0"),
    ),
    On(FIELDS, "vllm-serve", "vllm-serve").fails(
        "a field of a built-in kind, and a patch",
        "spec.template.spec.nodeselector is no field of a Deployment",
        "the nearest field here is nodeSelector",
        put("Deployment", "spec.template.spec.nodeselector", {"a": "b"}),
        "$patch is no field of a Deployment of apps/v1 in Kubernetes 1.37 (judge a patch by",
        put("Deployment", "spec.template.spec.$patch", "replace"),
    ),
    On(FIELDS, "vllm-serve").passes(
        "what an API server adds to an object that it hands out",
        put("Deployment", "status", {"replicas": 1}),
        put("Deployment", "metadata.uid", "9c1d"),
        put("Deployment", "metadata.managedFields", [{"manager": "x", "fieldsV1": {"f:spec": {}}}]),
    ),
    On(VALUES, "disagg-b200", PREFILL).fails(
        "a number without quotes, a variable that stands twice, and a placeholder",
        f"spec.services.{PREFILL}.resources.limits.gpu is 1, without quotes a number",
        'in body must be of type string: "integer"',
        of_service(PREFILL, "resources.limits.gpu", 1),
        "the API server: spec",
        'Duplicate value: {"name":"HF_HUB_OFFLINE"}',
        add(GRAPH, main_container(PREFILL, "env"), {"name": "HF_HUB_OFFLINE", "value": "1"}),
        "is ${PRIORITY}, which something is to replace",
        of_service(PREFILL, "extraPodSpec.priority", "${PRIORITY}"),
        undecided_for=(PREFILL,),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "a text where a number stands",
        "is the text 'long', not of type integer; the API server: json: cannot unmarshal string",
        put("Deployment", "spec.progressDeadlineSeconds", "long"),
    ),
    # An API server names one thing that it cannot read, and looks no further.
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "no selector",
        "spec.selector is absent (judge a patch by",
        "the API server: spec.selector: Required value",
        drop("Deployment", "spec.selector"),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "a patch of its replicas alone",
        "spec.template is absent (judge a patch by",
        put("Deployment", "spec", {"replicas": 2}),
    ),
    On(VALUES, "vllm-agg", "VllmWorker").fails(
        "the type that older recipes give a worker",
        'Unsupported value: "main": supported values: "frontend", "worker", "prefill"',
        put(GRAPH, f"{_VLLM}.type", "main"),
    ),
    On(MAIN, "vllm-agg", "VllmWorker").fails(
        "a container of another name",
        "no container of the pod template is called main: its containers are engine",
        put(GRAPH, f"{VLLM_MAIN}.name", "engine"),
    ),
)
