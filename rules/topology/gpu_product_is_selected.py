"""A worker says which GPU it is made for."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.node_selection import required_labels
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods

# Every node with GPUs carries these, whichever GPUs they are.
_SAY_NOTHING = frozenset({"nvidia.com/gpu.present", "kubernetes.io/os", "kubernetes.io/arch"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, _check_pods)


def _check_pods(pods: GpuPods) -> Iterator[Observation]:
    labels = required_labels(pods.template.spec)
    if any(label.key not in _SAY_NOTHING for label in labels):
        return
    selected = ", ".join(str(label) for label in labels) or "no label at all"
    yield failed(
        pods.template.resource,
        pods.name,
        f"selects nodes by {selected}, so it can land on any GPU that the cluster has",
    )


RULE = Rule(
    id="gpu-product-is-selected",
    title="A worker says which GPU it is made for",
    severity=Severity.ADVISORY,
    reason=(
        "Formats, kernels, memory and the image's architecture suit one GPU. In a cluster with several kinds "
        "the scheduler takes whichever node is free."
    ),
    source=(
        "NVIDIA/k8s-device-plugin docs/gpu-feature-discovery (nvidia.com/gpu.product); ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix="Add nvidia.com/gpu.product (NVIDIA-B200, NVIDIA-GB200, …) to the nodeSelector.",
    check=_check,
)
