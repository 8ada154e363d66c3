"""A worker says which GPU it is made for."""

from collections.abc import Iterator

from hardware import ACCELERATORS
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.spelling import slip_of
from rules.reading.nodes.node_selection import ARCHITECTURE_LABEL, required_labels
from rules.reading.nodes.placements import PRODUCT_LABEL
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods

# Every node with GPUs carries these, whichever GPUs they are.
_SAY_NOTHING = frozenset({"nvidia.com/gpu.present", "kubernetes.io/os", ARCHITECTURE_LABEL})

# Of a node with GPUs, by Kubernetes and by gpu-feature-discovery.
_KEYS = (
    PRODUCT_LABEL,
    ARCHITECTURE_LABEL,
    "nvidia.com/gpu.clique",
    "nvidia.com/gpu.count",
    "nvidia.com/gpu.family",
    "nvidia.com/gpu.machine",
    "nvidia.com/gpu.memory",
    "nvidia.com/gpu.present",
)
# One digit away from a name that is known here.
_OTHER_GPUS = frozenset({"NVIDIA-B20", "NVIDIA-B30", "NVIDIA-H20"})


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
    for label in required_labels(pods.template.spec):
        meant = None if label.key in _KEYS else slip_of(label.key, _KEYS)
        if meant is not None:
            message = f"selects nodes by {label}; no node has that label, and most have {meant}"
            yield failed(pods.template.resource, pods.name, message)
        for value in label.values if label.key == PRODUCT_LABEL else ():
            meant = None if value is None else _meant(value)
            if meant is not None:
                message = f"selects nodes by {label}; no GPU is called {value}, and one is called {meant}"
                yield failed(pods.template.resource, pods.name, message)


def _meant(value: str) -> str | None:
    known = {accelerator.product_label for accelerator in ACCELERATORS.values()}
    if value in known or value in _OTHER_GPUS:
        return None
    in_capitals = next((name for name in sorted(known) if name.lower() == value.lower()), None)
    digits = _digits(value)
    # Another number is another product; one with a digit more or less is none.
    alike = [name for name in known if _digits(name) == digits or len(_digits(name)) != len(digits)]
    return in_capitals or slip_of(value, alike)


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
