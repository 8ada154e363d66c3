"""What an API server refuses in pods although their schema takes it."""

from tests.rules.case import On
from tests.rules.edits import add, put
from tests.rules.names import GRAPH, POD, VLLM_MAIN, VLLM_POD, WORKER
from tests.rules.serving_edits import runtime

VALUES = "values-accepted"

_WORKER = f"spec.services.{WORKER}"
_MODEL = {"key": "nvidia.com/gpu.product", "operator": "in", "values": ["NVIDIA-GB200"]}
_ON_NODES = {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [_MODEL]}]}
}

CASES = (
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "own pods not selected, a volume, tolerations and probes that are refused",
        "spec.template.metadata.labels: Invalid value:",
        "`selector` does not match template `labels`",
        put("Deployment", "spec.selector.matchLabels", {"app": "vllm"}),
        f'{POD}.containers[0].volumeMounts[1].name: Not found: "scratch"',
        put("Deployment", f"{POD}.containers[0].volumeMounts[1].name", "scratch"),
        "value must be empty when `operator` is 'Exists'",
        put("Deployment", f"{POD}.tolerations[0].value", "present"),
        f'{POD}.tolerations[0].effect: Unsupported value: "NoScheduled": supported values: '
        '"NoSchedule", "PreferNoSchedule", "NoExecute"',
        put("Deployment", f"{POD}.tolerations[0].effect", "NoScheduled"),
        'readinessProbe.httpGet.port: Invalid value: "8000": must contain at least one letter (a-z)',
        put("Deployment", f"{POD}.containers[0].readinessProbe.httpGet.port", "8000"),
        "startupProbe.failureThreshold: Invalid value: -6: must be greater than or equal to 0",
        put("Deployment", f"{POD}.containers[0].startupProbe.failureThreshold", -6),
    ),
    On(VALUES, "vllm-disagg-efa", "Prefill").fails(
        "shared memory of a medium in small letters",
        "volume scratch has the medium 'memory', which no kubelet knows: Memory or HugePages",
        add(GRAPH, f"{VLLM_POD}.volumes", {"name": "scratch", "emptyDir": {"medium": "memory"}}),
    ),
    On(VALUES, "agg-gb200", WORKER).fails(
        "what no Kubernetes takes in pods, in a release without a schema",
        'matchExpressions[0].operator: Invalid value: "in": not a valid selector operator',
        "sharedMemory.size",
        'imagePullPolicy: Unsupported value: "Allways": supported values: "Always", "IfNotPresent"',
        "topologyKey: Required value",
        put(GRAPH, f"{_WORKER}.extraPodSpec.affinity.nodeAffinity", _ON_NODES),
        put(GRAPH, f"{_WORKER}.sharedMemory.size", "80G1"),
        put(GRAPH, f"{_WORKER}.extraPodSpec.mainContainer.imagePullPolicy", "Allways"),
        put(GRAPH, f"{_WORKER}.extraPodSpec.topologySpreadConstraints", [{"maxSkew": 1}]),
        *(runtime(each, "1.0.0") for each in ("Frontend", WORKER)),
    ),
    On(VALUES, "agg-gb200", WORKER).is_undecided(
        "GPUs requested of a service without their limit, in a release without a schema",
        f"would refuse {_WORKER}.resources.limits; the schema of Dynamo 1.0 is not known here",
        put(GRAPH, f"{_WORKER}.resources", {"requests": {"gpu": "1"}}),
        *(runtime(each, "1.0.0") for each in ("Frontend", WORKER)),
    ),
    On(VALUES, "vllm-serve", "vllm-serve").fails(
        "a toleration of no key",
        'Invalid value: "": operator must be Exists when `key` is empty',
        put("Deployment", f"{POD}.tolerations", [{"value": "present", "effect": "NoSchedule"}]),
    ),
    On(VALUES, "vllm-agg", "VllmWorker").fails(
        "a container that must not be root and is",
        "container main has runAsNonRoot: true beside runAsUser: 0: the kubelet never starts it",
        put(GRAPH, f"{VLLM_MAIN}.securityContext.runAsUser", 0),
    ),
)
