"""A pod with GPUs selects nodes that exist, and tolerates what keeps others off them."""

from collections.abc import Iterator, Sequence

from hardware import INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.landing import selected_pools, untolerated
from rules.reading.nodes.node_selection import ARCHITECTURE_LABEL, NodeLabel, alternatives, required_labels
from rules.reading.nodes.placements import PRODUCT_LABEL
from rules.reading.nodes.pools import known_pools
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods

_GRACE = ("NVIDIA-GB200", "NVIDIA-GB300", "NVIDIA-GH200")
"""GPUs on one board with an arm64 processor, however the label goes on (-SHARED, -480GB)."""
_OTHER_BOARDS = {
    node.accelerator.product_label: node.cpu_architecture
    for node in INSTANCE_TYPES.values()
    # Older ones are sold as cards too, for machines of either architecture.
    if node.accelerator.architecture_family == "blackwell"
}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    template = pods.template
    wanted = ", ".join(str(label) for label in required_labels(template.spec)) or "nothing"
    if all(_is_impossible(labels) for labels in alternatives(template.spec)):
        message = f"selects {wanted}: no machine with that GPU has a processor of that architecture"
        yield failed(template.resource, pods.name, message)
        return
    selected = selected_pools(graph, template)
    if not selected:
        there = ", ".join(f"{pool.name} ({pool.instance_type.name})" for pool in known_pools(graph))
        yield failed(
            template.resource, pods.name, f"selects {wanted}, which no node of the pools has: {there}"
        )
        return
    kept_off: list[str] = []
    for pool in selected:
        # Where nobody says which taints a pool has there is nothing to compare with.
        taints = () if pool.taints is None else untolerated(template.spec, pool)
        if not taints:
            return
        kept_off.append(f"{', '.join(taints)} of pool {pool.name}")
    yield failed(template.resource, pods.name, f"does not tolerate the taint {' and '.join(kept_off)}")


def _is_impossible(labels: Sequence[NodeLabel]) -> bool:
    """Whether a GPU is asked for, and with it an architecture that its machines do not have."""
    products, architectures = _values(labels, PRODUCT_LABEL), _values(labels, ARCHITECTURE_LABEL)
    if not products or not architectures or None in architectures:
        return False
    return all((there := _architecture(each)) is not None and there not in architectures for each in products)


def _values(labels: Sequence[NodeLabel], key: str) -> frozenset[str | None]:
    """What the label may be on a node; empty where nothing is asked."""
    asked = [frozenset(label.values) for label in labels if label.key == key and label.operator == "In"]
    return frozenset[str | None]() if not asked else asked[0].intersection(*asked[1:])


def _architecture(product: str | None) -> str | None:
    if product is not None and product.startswith(_GRACE):
        return "arm64"
    return _OTHER_BOARDS.get(product or "")


RULE = Rule(
    id="pod-selects-a-pool",
    title="A pod with GPUs selects a pool and tolerates its taints",
    severity=Severity.MANDATORY,
    reason=(
        "A pod whose node selection or tolerations fit no node stays Pending for ever. GB200 stands beside a "
        "Grace processor (arm64), B200 in x86 machines (amd64)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ and "
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Select labels that the pool's nodes carry (nvidia.com/gpu.product, kubernetes.io/arch) and tolerate "
        "its taints, most often nvidia.com/gpu."
    ),
    check=_check,
)
