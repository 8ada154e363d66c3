"""Whether pods with GPUs select nodes that exist, by names that GPUs have, and tolerate their taints."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from hardware import ACCELERATORS, GPU_RESOURCE
from resource_graph import ResourceGraph
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.gpu_pods import GpuPods, read_gpu_pods
from rules.reading.objects.judged import EFFECTS
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    PRODUCT_LABEL,
    NodeLabel,
    alternatives,
    required_labels,
    selected_pools,
    tolerated,
    untolerated,
    values_of,
)
from rules.reading.pods.pods import readable
from rules.reading.pools import Pool, Taint, known_pools, read_pools
from rules.reading.shapes import Undecided, indexed, mappings_at, text_at
from rules.rule import EVERY_RELEASE, GPU_PODS, Advice, Said, Severity, each_of, names, rule

_GRACE = ("NVIDIA-GB200", "NVIDIA-GB300", "NVIDIA-GH200")
"""Beginnings of labels of GPUs on one board with an arm64 processor; endings vary (-SHARED, -480GB)."""
_OTHER_BOARDS = {
    accelerator.product_label: accelerator.host.cpu_architecture
    for accelerator in ACCELERATORS.values()
    # Older ones are sold as cards too, for machines of either architecture.
    if accelerator.architecture_family == "blackwell"
}

# Every node with GPUs carries these, whichever GPUs they are.
_SAY_NOTHING = frozenset({"nvidia.com/gpu.present", "kubernetes.io/os", ARCHITECTURE_LABEL})
# Labels of a node with GPUs, by Kubernetes and by gpu-feature-discovery.
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
# One letter or digit away from a name that is known here.
_OTHER_GPUS = frozenset({"NVIDIA-B20", "NVIDIA-B30", "NVIDIA-B300", "NVIDIA-H20"})

# What NVIDIA's and the clouds' guides put on nodes with GPUs; values differ, most tolerations match any.
_GPU_EFFECT = "NoSchedule"
_GPU_TAINTS = tuple(Taint(GPU_RESOURCE, value, _GPU_EFFECT) for value in ("true", "present"))
_OTHER_ARCHITECTURES = frozenset({"aarch64", "x86_64", "x86-64", "x64"})
"""Names of Linux and of others for arm64 and amd64; the kubelet writes runtime.GOARCH
(kubernetes/kubernetes pkg/kubelet/kubelet_node_status.go)."""


@rule(
    GPU_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "A pod whose node selection or tolerations fit no node stays Pending for ever. GB200 stands beside a "
        "Grace processor (arm64), B200 in x86 machines (amd64). Formats, kernels and the image suit one GPU, "
        "and without its name the scheduler takes whichever node is free; nodes with GPUs carry a taint in "
        "most clusters (both advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ and "
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/; "
        "NVIDIA/k8s-device-plugin docs/gpu-feature-discovery (nvidia.com/gpu.product); ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Select labels that the pool's nodes carry, nvidia.com/gpu.product (NVIDIA-B200, NVIDIA-GB200, …) "
        "and kubernetes.io/arch, and tolerate its taints, most often {key: nvidia.com/gpu, operator: Exists, "
        "effect: NoSchedule}."
    ),
)
def pod_selects_a_pool(graph: ResourceGraph, pods: GpuPods) -> Iterator[Said]:
    """Pod selects no node with its GPU, or does not tolerate its taints."""
    return each_of(graph, pods, _pools, _product, _taints)


def _pools(graph: ResourceGraph, pods: GpuPods) -> Iterator[str]:
    spec = pods.template.spec
    wanted = ", ".join(str(label) for label in required_labels(spec)) or "nothing"
    other = [_of_another_name(labels) for labels in alternatives(spec)]
    if all(other):
        yield f"selects {wanted}: no node is called {other[0]}; Kubernetes writes amd64 or arm64"
        return
    if all(_is_impossible(labels) for labels in alternatives(spec)):
        yield f"selects {wanted}: no machine with that GPU has a processor of that architecture"
        return
    selected = selected_pools(graph, pods.template)
    if not selected:
        there = ", ".join(f"{pool.name} ({pool.instance_type.name})" for pool in known_pools(graph))
        yield f"selects {wanted}, which no node of the pools has: {there}"
        return
    taints = [(pool, untolerated(spec, pool)) for pool in selected]
    if all(kept_off for _, kept_off in taints):
        shown = (f"{', '.join(kept_off)} of pool {pool.name}" for pool, kept_off in taints)
        yield f"does not tolerate the taint {' and '.join(shown)}"


def _of_another_name(labels: Sequence[NodeLabel]) -> str | None:
    """An architecture that is asked for by a name that no node has: aarch64 for arm64, x86_64 for amd64."""
    asked = values_of(labels, ARCHITECTURE_LABEL)
    return next(iter(sorted(filter(None, asked))), None) if asked and asked <= _OTHER_ARCHITECTURES else None


def _is_impossible(labels: Sequence[NodeLabel]) -> bool:
    """Whether a GPU is asked for together with an architecture that the GPU's machines do not have."""
    products, architectures = values_of(labels, PRODUCT_LABEL), values_of(labels, ARCHITECTURE_LABEL)
    hosts = [
        "arm64" if each and each.startswith(_GRACE) else _OTHER_BOARDS.get(each or "") for each in products
    ]
    is_known = bool(products and architectures) and None not in {*hosts, *architectures}
    return is_known and architectures.isdisjoint(hosts)


def _product(_: ResourceGraph, pods: GpuPods) -> Iterator[Advice]:
    labels = required_labels(pods.template.spec)
    for label in labels:
        yield from map(Advice, _misspelt(label))
    if all(label.key in _SAY_NOTHING for label in labels):
        selected = ", ".join(str(label) for label in labels) or "no label at all"
        yield Advice(f"selects nodes by {selected}, so it can land on any GPU that the cluster has")


def _misspelt(label: NodeLabel) -> Iterator[str]:
    meant = None if label.key in _KEYS else slip_of(label.key, _KEYS)
    if meant is not None:
        yield f"selects nodes by {label}; no node has that label, and most have {meant}"
    for value in label.values if label.key == PRODUCT_LABEL else ():
        meant = None if value is None else _product_meant(value)
        if meant is not None:
            yield f"selects nodes by {label}; no GPU is called {value}, and one is called {meant}"


def _product_meant(value: str) -> str | None:
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


def _taints(graph: ResourceGraph, pods: GpuPods) -> Iterator[Advice]:
    group = _by_owner(graph)[pods.template.resource.urn]
    pools = read_pools(graph).values()
    is_told = any(isinstance(pool, Pool) and pool.taints is not None for pool in pools)
    # Tolerations that only the update knows may be any.
    with suppress(Undecided):
        tolerant = [
            each for each in group if any(tolerated(each.template.spec, taint) for taint in _GPU_TAINTS)
        ]
        yield from map(Advice, _kept_off(pods, tolerant, is_told=is_told))


_by_owner = indexed(lambda graph: readable(read_gpu_pods(graph)), lambda each: each.template.resource.urn)


def _kept_off(pods: GpuPods, tolerant: Sequence[GpuPods], *, is_told: bool) -> Iterator[str]:
    """`is_told` where pools say which taints their nodes have, by which `_pools` judges."""
    spec = pods.template.spec
    # Most published graphs tolerate nothing, on clusters without the taint; who misspells it has it in mind.
    if pods not in tolerant:
        for toleration in mappings_at(spec, "tolerations"):
            key, effect = text_at(toleration, "key") or "", text_at(toleration, "effect")
            if key == GPU_RESOURCE and effect in EFFECTS and effect != _GPU_EFFECT and not is_told:
                yield f"tolerates {key} with the effect {effect}; most nodes with GPUs have {_GPU_EFFECT}"
            if slip_of(key, [GPU_RESOURCE], SLIPS) is not None:
                yield f"tolerates the taint {key}, which no node has; nodes with GPUs have {GPU_RESOURCE}"
    if tolerant and pods not in tolerant:
        yield f"does not tolerate the taint {GPU_RESOURCE}, which {names(tolerant)} of the same graph does"
