"""Workers tolerate what keeps other pods off the nodes with GPUs."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.commands.spelling import slip_of
from rules.reading.nodes.landing import tolerated
from rules.reading.nodes.pools import Taint
from rules.reading.pods.gpu_pods import GpuPods, read_gpu_pods
from rules.reading.pods.workers import GPU_RESOURCE
from rules.reading.shapes import Undecided, field, mappings_at, text_at

# What NVIDIA's and the clouds' guides put on nodes with GPUs; values differ, most tolerations match any.
_GPU_TAINTS = (Taint(GPU_RESOURCE, "true", "NoSchedule"), Taint(GPU_RESOURCE, "present", "NoSchedule"))
_SLIPS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    by_owner: dict[str, list[GpuPods]] = {}
    for pods in read_gpu_pods(graph):
        if isinstance(pods, GpuPods):
            by_owner.setdefault(pods.template.resource.urn, []).append(pods)
    taints = list(_node_taints(graph))
    for group in by_owner.values():
        yield from _check_group(group, taints)


def _check_group(group: list[GpuPods], taints: list[tuple[str, Taint]]) -> Iterator[Observation]:
    try:
        tolerant = [pods for pods in group if _tolerates_a_gpu_taint(pods)]
        for pods in group:
            yield from _check_keys(pods)
            if tolerant and pods not in tolerant:
                names = ", ".join(other.name for other in tolerant)
                message = f"does not tolerate the taint {GPU_RESOURCE}, which {names} of the same graph does"
                yield failed(pods.template.resource, pods.name, message)
            for node, taint in taints:
                if not tolerated(pods.template.spec, taint):
                    message = f"does not tolerate {taint.key}={taint.value}:{taint.effect} of node {node}"
                    yield failed(pods.template.resource, pods.name, message)
    except Undecided:
        # Tolerations that only the update knows may be any.
        return


def _check_keys(pods: GpuPods) -> Iterator[Observation]:
    # Most published graphs tolerate nothing, on clusters without the taint; who misspells it has it in mind.
    if _tolerates_a_gpu_taint(pods):
        return
    for toleration in mappings_at(pods.template.spec, "tolerations"):
        key = text_at(toleration, "key") or ""
        if slip_of(key, [GPU_RESOURCE], _SLIPS) is not None:
            message = f"tolerates the taint {key}, which no node has; nodes with GPUs have {GPU_RESOURCE}"
            yield failed(pods.template.resource, pods.name, message)


def _tolerates_a_gpu_taint(pods: GpuPods) -> bool:
    return any(tolerated(pods.template.spec, taint) for taint in _GPU_TAINTS)


def _node_taints(graph: ResourceGraph) -> Iterator[tuple[str, Taint]]:
    """Of the nodes with GPUs that were read, each taint once."""
    seen: set[Taint] = set()
    for node in graph.kubernetes_objects("Node"):
        try:
            taints = list(_hard_taints(node)) if _has_gpus(node) else []
        except Undecided:
            continue
        for taint in taints:
            if taint not in seen:
                seen.add(taint)
                yield node.name, taint


def _has_gpus(node: Resource) -> bool:
    labelled = text_at(node.metadata, "labels", "nvidia.com/gpu.product") is not None
    return labelled or field(node.inputs, "status", "allocatable", GPU_RESOURCE) is not None


def _hard_taints(node: Resource) -> Iterator[Taint]:
    for taint in mappings_at(node.inputs, "spec", "taints"):
        effect = text_at(taint, "effect") or ""
        if effect != "PreferNoSchedule":
            yield Taint(text_at(taint, "key") or "", text_at(taint, "value") or "", effect)


RULE = Rule(
    id="gpu-taint-tolerated",
    title="Workers tolerate what keeps other pods off the nodes with GPUs",
    severity=Severity.ADVISORY,
    reason=(
        "Nodes with GPUs carry a taint in most clusters, so that nothing else takes them: a worker without "
        "the toleration stays Pending, and with it the graph."
    ),
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#example-use-cases",
    lines=EVERY_RELEASE,
    fix="Add {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule} to the tolerations.",
    check=_check,
)
