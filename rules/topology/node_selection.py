"""Whether pods select nodes that exist, tolerate their taints and find those beside which they must run."""

import re
from collections.abc import Iterable, Iterator, Sequence

from hardware import ACCELERATORS, GPU_RESOURCE
from resource_graph import ResourceGraph
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.gpu_pods import GpuPods, templates_with_gpus
from rules.reading.objects.relations import EFFECTS
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
from rules.reading.pods.containers import read_image
from rules.reading.pods.pod_affinity import Term, can_match, equalities, terms
from rules.reading.pods.pods import COMPONENT_TYPE_LABEL, GRAPH_NAME_LABEL, PodTemplate
from rules.reading.pools import Pool, Taint, known_pools, read_pools
from rules.reading.releases import operator_line
from rules.reading.shapes import Undecided, known, mappings_at, text_at
from rules.rule import EVERY_RELEASE, GPU_PODS, POD_TEMPLATES, Advice, Said, Severity, each_of, rule

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
    if all(label.key in _SAY_NOTHING for label in labels):
        selected = ", ".join(str(label) for label in labels) or "no label at all"
        yield Advice(f"selects nodes by {selected}, so it can land on any GPU that the cluster has")


def _taints(graph: ResourceGraph, pods: GpuPods) -> Iterator[Advice]:
    """Tolerations that were meant for nodes with GPUs; most published graphs have none."""
    spec = pods.template.spec
    pools = read_pools(graph).values()
    is_told = any(isinstance(pool, Pool) and pool.taints is not None for pool in pools)
    # Tolerations that only the update knows may be any.
    if any(known(tolerated, spec, taint) is not False for taint in _GPU_TAINTS):
        return
    for toleration in mappings_at(spec, "tolerations"):
        key, effect = text_at(toleration, "key") or "", text_at(toleration, "effect")
        if key == GPU_RESOURCE and effect in EFFECTS and effect != _GPU_EFFECT and not is_told:
            yield Advice(f"tolerates {key} with the effect {effect}; most nodes with GPUs have {_GPU_EFFECT}")
        if slip_of(key, [GPU_RESOURCE], SLIPS) is not None:
            yield Advice(f"tolerates the taint {key}, which no node has; nodes with GPUs have {GPU_RESOURCE}")


_WORKER = "worker"
_TYPE_IS_THE_ROLE_SINCE = (1, 2)
"""First release whose operator calls pods of a v1alpha1 graph prefill and decode by their type's label, and
no longer workers (ai-dynamo/dynamo deploy/operator api/v1alpha1 conversion at d50a02f)."""


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "A pod with a required affinity waits until a pod with those labels runs; where none ever carries "
        "them it stays Pending for ever. An anti-affinity to such labels has no effect: the pods may share a "
        "node (advice)."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ (inter-pod affinity); "
        "labels: ai-dynamo/dynamo deploy/operator internal/consts at d50a02f, and as seen with the operators "
        "of 1.2 and 1.4"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Write the labels as the operator does: nvidia.com/dynamo-graph-deployment-name is the graph's name, "
        "not its frontend Service's; nvidia.com/dynamo-component-type is frontend, prefill, decode or worker."
    ),
)
def pod_affinity_can_match(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """No pod carries the labels of an affinity."""
    for term in terms(template, "podAffinity"):
        if term.required and not _matches(graph, template, term):
            place = text_at(term.content, "topologyKey") or "a topology"
            yield (
                f"must run beside a pod with {term} (by {place}), but no pod of the graph carries that, not "
                "even itself"
            )
    for term in terms(template, "podAntiAffinity"):
        if not _matches(graph, template, term):
            own = template.labels.get(GRAPH_NAME_LABEL)
            label = f"; its own {GRAPH_NAME_LABEL} is {own}" if isinstance(own, str) else ""
            yield Advice(f"keeps away from pods with {term}, which no pod of the graph carries{label}")


def _matches(graph: ResourceGraph, template: PodTemplate, term: Term) -> bool:
    if can_match(graph, template, term):
        return True
    asks_for_workers = _WORKER in equalities(term.selector).get(COMPONENT_TYPE_LABEL, ())
    # Where nothing says of which release the operator is, either label may be right.
    return (
        asks_for_workers
        and template.shape == "service"
        and operator_line(graph, template.resource) < _TYPE_IS_THE_ROLE_SINCE
    )


_SUFFIX = re.compile(r"-(amd64|arm64|x86_64|aarch64)$")
_SAME = {"x86_64": "amd64", "aarch64": "arm64"}
# NVIDIA's release page and its release data contradict each other about these tags.
_DISPUTED = re.compile(r"1\.2\.[0-9]+-efa-amd64")


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "GB200 nodes are arm64, B200 and H200 nodes amd64. Of an image of the other one the container "
        "runtime says 'no match for platform in manifest', or the container ends with an exec format error."
    ),
    source=(
        "FoundationDB/fdb-kubernetes-operator#2294; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg at "
        "668dd11 (an -arm64 tag)"
    ),
    lines=EVERY_RELEASE,
    fix="Use a tag without suffix, which holds both architectures, or select nodes by kubernetes.io/arch.",
)
def image_architecture_matches_node(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Image is made for another architecture than the node's."""
    images = (read_image(container) for container in template.containers)
    for text, tag in {image.text: image.tag or "" for image in images if image is not None}.items():
        suffix = None if _DISPUTED.fullmatch(tag) else _SUFFIX.search(tag)
        if suffix is None:
            continue
        made_for = _SAME.get(suffix[1], suffix[1])
        for architecture, source in _node_architectures(graph, template):
            if architecture != made_for:
                yield (
                    f"its image {text} is made for {made_for}, but it can land on {architecture} ({source})"
                )


def _node_architectures(graph: ResourceGraph, template: PodTemplate) -> Iterable[tuple[str, str]]:
    """Architectures of the pod's own selection, else of the pools that it can land on, with sources."""
    selected = tuple(_selected(template))
    if selected:
        return selected
    if not read_pools(graph) or template not in templates_with_gpus(graph):
        # Pools are the nodes with GPUs; nothing is known of the other nodes.
        raise Undecided(
            "its image is made for one architecture, but neither a selection by "
            f"{ARCHITECTURE_LABEL} nor a pool of nodes with GPUs says which its nodes have"
        )
    found: dict[str, str] = {}
    for pool in selected_pools(graph, template):
        source = f"pool {pool.name} of {pool.instance_type.name}"
        found.setdefault(pool.instance_type.cpu_architecture, source)
    return found.items()


def _selected(template: PodTemplate) -> Iterator[tuple[str, str]]:
    labels = [label for label in required_labels(template.spec) if label.operator == "In"]
    for label in labels:
        if label.key == ARCHITECTURE_LABEL:
            yield from ((value, f"{label.key}={value}") for value in label.values if value)
            return
    products = {value for label in labels if label.key == PRODUCT_LABEL for value in label.values}
    for accelerator in ACCELERATORS.values():
        if accelerator.product_label in products:
            yield accelerator.host.cpu_architecture, f"{PRODUCT_LABEL}={accelerator.product_label}"
            return
