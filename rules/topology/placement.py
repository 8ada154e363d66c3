"""Which pods a pod is placed beside or kept away from, and whether its image runs where it lands."""

import re
from collections.abc import Iterable, Iterator, Mapping

from hardware import ACCELERATORS
from resource_graph import ResourceGraph, Value
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    PRODUCT_LABEL,
    required_labels,
    selected_pools,
)
from rules.reading.pods.containers import read_image
from rules.reading.pods.pod_affinity import can_match, equalities, selector_of, shown_term, terms
from rules.reading.pods.pods import COMPONENT_TYPE_LABEL, GRAPH_NAME_LABEL, PodTemplate
from rules.reading.pods.workers import workers_of_pods
from rules.reading.pools import read_pools
from rules.reading.releases import operator_line
from rules.reading.shapes import Undecided, text_at
from rules.rule import EVERY_RELEASE, POD_TEMPLATES, Advice, Said, Severity, rule

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
    for is_required, term in terms(template, "podAffinity"):
        if is_required and not _matches(graph, template, term):
            place = text_at(term, "topologyKey") or "a topology"
            yield (
                f"must run beside a pod with {shown_term(term)} (by {place}), but no pod of the graph "
                "carries that, not even itself"
            )
    for _, term in terms(template, "podAntiAffinity"):
        if not _matches(graph, template, term):
            own = template.labels.get(GRAPH_NAME_LABEL)
            label = f"; its own {GRAPH_NAME_LABEL} is {own}" if isinstance(own, str) else ""
            yield Advice(
                f"keeps away from pods with {shown_term(term)}, which no pod of the graph carries{label}"
            )


def _matches(graph: ResourceGraph, template: PodTemplate, term: Mapping[str, Value]) -> bool:
    if can_match(graph, template, term):
        return True
    asks_for_workers = "worker" in equalities(selector_of(term)).get(COMPONENT_TYPE_LABEL, ())
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
    has_gpus = any(each.container_gpus for each in workers_of_pods(graph).get(template, ()))
    if not read_pools(graph) or not has_gpus:
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
