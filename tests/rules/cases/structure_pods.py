"""What an API server refuses in pods although their schema takes it."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, put
from tests.rules.serving_edits import GRAPH, VLLM_MAIN

VALUES = "values-accepted"

_POD = "spec.template.spec"

CASES = (
    Case(
        VALUES,
        "a selector that the own pods do not match",
        "vllm-serve",
        (put("Deployment", "spec.selector.matchLabels", {"app": "vllm"}),),
        failed(VALUES, "vllm-serve"),
        ("spec.template.metadata.labels: Invalid value:", "`selector` does not match template `labels`"),
    ),
    Case(
        VALUES,
        "a mount of a volume that the pod does not have",
        "vllm-serve",
        (put("Deployment", f"{_POD}.containers[0].volumeMounts[1].name", "scratch"),),
        failed(VALUES, "vllm-serve"),
        (f'{_POD}.containers[0].volumeMounts[1].name: Not found: "scratch"',),
    ),
    Case(
        VALUES,
        "two mounts at one path",
        "vllm-serve",
        (put("Deployment", f"{_POD}.containers[0].volumeMounts[1].mountPath", "/opt/models"),),
        failed(VALUES, "vllm-serve"),
        (f'{_POD}.containers[0].volumeMounts[1].mountPath: Invalid value: "/opt/models": must be unique',),
    ),
    Case(
        VALUES,
        "two containers of one name",
        "vllm-serve",
        (add("Deployment", f"{_POD}.containers", {"name": "engine", "image": "example.com/side:1"}),),
        failed(VALUES, "vllm-serve"),
        (f'{_POD}.containers[1].name: Duplicate value: "engine"',),
    ),
    Case(
        VALUES,
        "a value of a taint whatever its value",
        "vllm-serve",
        (
            put(
                "Deployment",
                f"{_POD}.tolerations",
                [{"key": "nvidia.com/gpu", "operator": "Exists", "value": "present"}],
            ),
        ),
        failed(VALUES, "vllm-serve"),
        ("value must be empty when `operator` is 'Exists'",),
    ),
    Case(
        VALUES,
        "a toleration of no key",
        "vllm-serve",
        (put("Deployment", f"{_POD}.tolerations", [{"value": "present", "effect": "NoSchedule"}]),),
        failed(VALUES, "vllm-serve"),
        ('Invalid value: "": operator must be Exists when `key` is empty',),
    ),
    Case(
        VALUES,
        "shared memory of a medium in small letters",
        "vllm-disagg-efa",
        (
            add(
                GRAPH,
                "spec.components[1].podTemplate.spec.volumes",
                {"name": "scratch", "emptyDir": {"medium": "memory"}},
            ),
        ),
        failed(VALUES, "Prefill"),
        ("volume scratch has the medium 'memory', which no kubelet knows: Memory or HugePages",),
    ),
    Case(
        VALUES,
        "a Deployment whose pods are never restarted",
        "vllm-serve",
        (put("Deployment", f"{_POD}.restartPolicy", "Never"),),
        failed(VALUES, "vllm-serve"),
        (f'{_POD}.restartPolicy: Unsupported value: "Never": supported values: "Always"',),
    ),
    Case(
        VALUES,
        "a Deployment that stops its pods first and rolls them too",
        "vllm-serve",
        (put("Deployment", "spec.strategy.type", "Recreate"),),
        failed(VALUES, "vllm-serve"),
        ("spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",),
    ),
    Case(
        VALUES,
        "a rollout that may neither start a pod nor stop one",
        "vllm-serve",
        (put("Deployment", "spec.strategy.rollingUpdate.maxSurge", "0%"),),
        failed(VALUES, "vllm-serve"),
        ("spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",),
    ),
    Case(
        VALUES,
        "a toleration of an effect that there is not",
        "vllm-serve",
        (put("Deployment", f"{_POD}.tolerations[0].effect", "NoScheduled"),),
        failed(VALUES, "vllm-serve"),
        (
            f'{_POD}.tolerations[0].effect: Unsupported value: "NoScheduled": supported values: '
            '"NoSchedule", "PreferNoSchedule", "NoExecute"',
        ),
    ),
    Case(
        VALUES,
        "a variable with a space at the end of its name, which new servers take",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.env[0].name", "HF_HUB_OFFLINE "),),
        failed(VALUES, "VllmWorker"),
        ("sets the variable 'HF_HUB_OFFLINE ': no program reads one with a space in its name",),
    ),
    Case(
        VALUES,
        "a variable with a value and the source of another",
        "vllm-serve",
        (
            put(
                "Deployment",
                f"{_POD}.containers[0].env[0].valueFrom",
                {"fieldRef": {"fieldPath": "spec.nodeName"}},
            ),
        ),
        failed(VALUES, "vllm-serve"),
        ('env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',),
    ),
    Case(
        VALUES,
        "a probe of a port in quotes",
        "vllm-serve",
        (put("Deployment", f"{_POD}.containers[0].readinessProbe.httpGet.port", "8000"),),
        failed(VALUES, "vllm-serve"),
        ('readinessProbe.httpGet.port: Invalid value: "8000": must contain at least one letter (a-z)',),
    ),
    Case(
        VALUES,
        "a Service that leads to a port in quotes",
        "vllm-serve",
        (put("Service", "spec.ports[0].targetPort", "8000"),),
        failed(VALUES, "vllm-serve"),
        ('spec.ports[0].targetPort: Invalid value: "8000": must contain at least one letter (a-z)',),
    ),
    Case(
        VALUES,
        "a port whose name is too long",
        "vllm-serve",
        (put("Deployment", f"{_POD}.containers[0].ports[0].name", "openai-compatible"),),
        failed(VALUES, "vllm-serve"),
        ('ports[0].name: Invalid value: "openai-compatible": must be no more than 15 characters',),
    ),
    Case(
        VALUES,
        "a container that must not be root and is",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.securityContext.runAsUser", 0),),
        failed(VALUES, "VllmWorker"),
        ("container main has runAsNonRoot: true beside runAsUser: 0: the kubelet never starts it",),
    ),
)
