"""A pod with GPUs selects nodes that exist, and tolerates what keeps others off them."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.landing import selected_pools, untolerated
from rules.reading.nodes.node_selection import required_labels
from rules.reading.nodes.pools import known_pools
from rules.reading.pods.gpu_pods import GpuPods, check_gpu_pods


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_gpu_pods(graph, lambda pods: _check_pods(graph, pods))


def _check_pods(graph: ResourceGraph, pods: GpuPods) -> Iterator[Observation]:
    template = pods.template
    selected = selected_pools(graph, template)
    if not selected:
        wanted = ", ".join(str(label) for label in required_labels(template.spec)) or "nothing"
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


RULE = Rule(
    id="pod-selects-a-pool",
    title="A pod with GPUs selects a pool and tolerates its taints",
    severity=Severity.MANDATORY,
    reason="A pod whose node selection or tolerations fit no node stays Pending for ever.",
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
