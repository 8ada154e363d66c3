"""Who hands out GPUs: the device plugin, the DRA driver, or by mistake both."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, document, put
from tests.rules.exports import LATER

ALLOCATOR = "one-gpu-allocator"
BY_CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: gpt-oss}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: notebook, namespace: gpt-oss}
spec:
  automountServiceAccountToken: false
  nodeSelector: {kubernetes.io/arch: %(architecture)s, nvidia.com/gpu.product: %(product)s}
  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
  containers:
    - name: notebook
      image: example.com/notebook:1.0
      resources: {requests: {cpu: "4", memory: 32Gi}, limits: {memory: 32Gi}, claims: [{name: gpu}]}
"""


def release(name: str, chart: str, values: str) -> Edit:
    return document(
        f"""
        type: kubernetes:helm.sh/v3:Release
        name: {name}
        provider: kubernetes/cluster
        timeouts: {{create: 660, update: 660, delete: 660}}
        inputs: {{name: {name}, namespace: gpu-operator, chart: "{chart}", version: "1.0", timeout: 600,
          values: {values}}}
        """
    )


OPERATOR = release("operator", "gpu-operator", "{driver: {enabled: false}}")
DRIVER = "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
BOTH_ON = "{gpuResourcesEnabledOverride: true, resources: {gpus: {enabled: true}}}"

CASES = (
    Case(
        ALLOCATOR,
        "a claim in the pool of the device plugin",
        "vllm-agg",
        (
            put("DynamoGraphDeployment", "spec.components[1].replicas", 4),
            document(BY_CLAIM % {"architecture": "amd64", "product": "NVIDIA-B200"}),
        ),
        failed(ALLOCATOR, "notebook"),
        (
            "claims GPUs of gpu.nvidia.com from the DRA driver, while VllmWorker asks the device plugin for "
            "1 nvidia.com/gpu in pool p6-b200.48xlarge",
        ),
    ),
    Case(
        ALLOCATOR,
        "both allocators installed",
        "program-on-eks",
        (OPERATOR, release("driver", DRIVER, BOTH_ON)),
        failed(ALLOCATOR, "operator"),
        ("runs the device plugin, and driver lets the DRA driver hand out the same GPUs",),
    ),
    Case(
        ALLOCATOR,
        "the operator without its device plugin",
        "program-on-eks",
        (
            release("operator", "gpu-operator", "{devicePlugin: {enabled: false}}"),
            release("driver", DRIVER, BOTH_ON),
        ),
    ),
    Case(
        ALLOCATOR,
        "values that are known later",
        "program-on-eks",
        (OPERATOR, release("driver", DRIVER, f"{{resources: {LATER}}}")),
        undecided(ALLOCATOR, "operator"),
        ("values.resources is known only after the update",),
    ),
)
