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
        "a probe of a port in quotes",
        "vllm-serve",
        (put("Deployment", f"{_POD}.containers[0].readinessProbe.httpGet.port", "8000"),),
        failed(VALUES, "vllm-serve"),
        ('readinessProbe.httpGet.port: Invalid value: "8000": must contain at least one letter (a-z)',),
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
        "a container that must not be root and is",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.securityContext.runAsUser", 0),),
        failed(VALUES, "VllmWorker"),
        ("container main has runAsNonRoot: true beside runAsUser: 0: the kubelet never starts it",),
    ),
)
