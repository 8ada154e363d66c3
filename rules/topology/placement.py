"""Which pods and nodes a pod is placed beside or kept away from, and whether its image runs there."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hardware import ACCELERATORS, INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.gpu_pods import templates_with_gpus
from rules.reading.memoized import memoized
from rules.reading.model_volumes import ModelVolume, read_model_volumes
from rules.reading.placements import (
    ARCHITECTURE_LABEL,
    PRODUCT_LABEL,
    allows,
    required_labels,
    selected_pools,
    untolerated,
)
from rules.reading.pods.containers import read_image
from rules.reading.pods.pod_affinity import Term, can_match, can_match_by_older_labels, terms
from rules.reading.pods.pods import GRAPH_NAME_LABEL, PodTemplate
from rules.reading.pods.workers import FRONTEND_TYPE, GPU_RESOURCE
from rules.reading.pools import Pool, known_pools, node_labels, read_pools
from rules.reading.releases import operator_line
from rules.reading.shapes import Undecided, grouped, mappings_at, text_at
from rules.rule import Advice, Said, rule
from rules.subjects import POD_TEMPLATES

_ONE_TYPE_SINCE = (1, 2)
"""First Dynamo release in which a worker's narrower type is its only one."""


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
        "labels: ai-dynamo/dynamo deploy/operator internal/consts at 0367e40 and d50a02f, and as seen with "
        "the operators of 1.2 and 1.4"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Write the labels as the operator does: nvidia.com/dynamo-graph-deployment-name is the graph's name, "
        "not its frontend Service's; nvidia.com/dynamo-component-type is frontend, prefill, decode or worker."
    ),
)
def pod_affinity_can_match(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """No pod carries the labels of an affinity."""
    for term in terms(template, "podAffinity"):
        if term.required and not _means_a_pod(graph, template, term):
            place = text_at(term.content, "topologyKey") or "a topology"
            yield (
                f"must run beside a pod with {term} (by {place}), but no pod of the graph carries that, not "
                "even itself"
            )
    for term in terms(template, "podAntiAffinity"):
        if not _means_a_pod(graph, template, term):
            own = template.labels.get(GRAPH_NAME_LABEL)
            label = f"; its own {GRAPH_NAME_LABEL} is {own}" if isinstance(own, str) else ""
            yield Advice(f"keeps away from pods with {term}, which no pod of the graph carries{label}")


def _means_a_pod(graph: ResourceGraph, template: PodTemplate, term: Term) -> bool:
    """Whether a pod carries the labels, as the graph's operator or one before 1.2 writes them."""
    return can_match(graph, template, term) or (
        can_match_by_older_labels(graph, template, term)
        and operator_line(graph, template.resource) < _ONE_TYPE_SINCE
    )


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "A frontend takes CPU and memory that the workers of the node need, and a node that is given back, "
        "or whose capacity block ends, takes the only entrance with it."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html (nodes end with the block)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Require nodes without GPUs: node affinity on nvidia.com/gpu.present, operator NotIn, value true; "
        "and leave the toleration of nvidia.com/gpu out. Not asked where the model itself lies on those "
        "nodes alone: on a disk that one node mounts, or in a directory of each."
    ),
)
def frontend_off_gpu_nodes(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Frontend can land on a node with GPUs."""
    if template.component_type != FRONTEND_TYPE or _reads_from_gpu_nodes(graph, template):
        return
    for pool in _gpu_pools(graph):
        why = _why_it_lands(template, pool) if allows(template.spec, pool) else None
        if why is not None:
            yield f"can land on a node with GPUs: {why}"
            return


def _reads_from_gpu_nodes(graph: ResourceGraph, template: PodTemplate) -> bool:
    """Whether only nodes with GPUs hold the model that the pod needs."""
    return any(
        volume.node_path is not None or (_is_on_one_node(volume) and volume.of_kind("worker"))
        for volume in _volumes_by_pod(graph).get(template, ())
    )


def _is_on_one_node(volume: ModelVolume) -> bool:
    claim = None if isinstance(volume.found, Undecided) else volume.found
    return claim is not None and not any(mode.endswith("Many") for mode in claim.modes)


@memoized
def _volumes_by_pod(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[ModelVolume]]:
    volumes = read_model_volumes(graph)
    return grouped(
        (each, volume) for volume in volumes for each in {user.template for user, _ in volume.users}
    )


def _gpu_pools(graph: ResourceGraph) -> Sequence[Pool]:
    # Where no pool is known, labels that every node with GPUs carries still count.
    return (
        known_pools(graph)
        if read_pools(graph)
        else [
            Pool(node.name, node, None, node_labels(node), None, node.nvlink_domain_gpus)
            for node in INSTANCE_TYPES.values()
        ]
    )


def _why_it_lands(template: PodTemplate, pool: Pool) -> str | None:
    if pool.taints is not None:
        if untolerated(template.spec, pool):
            return None
        taints = "whose taints it tolerates" if pool.taints else "which has no taint"
        return f"nothing keeps it off pool {pool.name}, {taints}"
    labels = required_labels(template.spec)
    wanted = [str(label) for label in labels if label.key.startswith(f"{GPU_RESOURCE}.")]
    if wanted:
        return f"it selects {', '.join(wanted)}"
    if any(
        text_at(item, "key") == GPU_RESOURCE
        or (text_at(item, "key") is None and text_at(item, "operator") == "Exists")
        for item in mappings_at(template.spec, "tolerations")
    ):
        return f"it tolerates the taint {GPU_RESOURCE} and does not select nodes without GPUs"
    raise Undecided(
        "it does not select nodes without GPUs, and nothing says whether a taint keeps it off those with GPUs"
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
