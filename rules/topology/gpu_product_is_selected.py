"""A worker says which GPU it is made for."""

from collections.abc import Iterator

from hardware import ACCELERATORS
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.spelling import slip_of
from rules.reading.nodes.node_selection import required_labels
from rules.reading.nodes.placements import PRODUCT_LABEL
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods

# Every node with GPUs carries these, whichever GPUs they are.
_SAY_NOTHING = frozenset({"nvidia.com/gpu.present", "kubernetes.io/os", "kubernetes.io/arch"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, _check_pods)


def _check_pods(pods: GpuPods) -> Iterator[Observation]:
    labels = required_labels(pods.template.spec)
    yield from _check_products(pods)
    if any(label.key not in _SAY_NOTHING for label in labels):
        return
    selected = ", ".join(str(label) for label in labels) or "no label at all"
    yield failed(
        pods.template.resource,
        pods.name,
        f"selects nodes by {selected}, so it can land on any GPU that the cluster has",
    )


def _check_products(pods: GpuPods) -> Iterator[Observation]:
    known = {accelerator.product_label for accelerator in ACCELERATORS.values()}
    for label in required_labels(pods.template.spec):
        for value in label.values if label.key == PRODUCT_LABEL else ():
            if value is None or value in known:
                continue
            in_capitals = next((name for name in sorted(known) if name.lower() == value.lower()), None)
            # Another number is another product.
            alike = [name for name in known if _digits(name) == _digits(value)]
            meant = in_capitals or slip_of(value, alike)
            if meant is not None:
                yield failed(
                    pods.template.resource,
                    pods.name,
                    f"selects nodes by {label}; no GPU is called {value}, and one is called {meant}",
                )


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())


RULE = Rule(
    id="gpu-product-is-selected",
    title="A worker says which GPU it is made for, by a name that a GPU has",
    severity=Severity.ADVISORY,
    reason=(
        "Formats, kernels, memory and the image's architecture suit one GPU. In a cluster with several kinds "
        "the scheduler takes whichever node is free; by a name that no GPU has it takes none."
    ),
    source=(
        "NVIDIA/k8s-device-plugin docs/gpu-feature-discovery (nvidia.com/gpu.product); ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix="Add nvidia.com/gpu.product (NVIDIA-B200, NVIDIA-GB200, …) to the nodeSelector.",
    check=_check,
)
