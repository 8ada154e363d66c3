"""Which pods and nodes a pod is placed beside, and which it keeps away from."""

import re
from collections.abc import Iterator, Mapping, Sequence

from hardware import INSTANCE_TYPES
from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.memoized import memoized
from rules.reading.model_volumes import ModelVolume, read_model_volumes
from rules.reading.placements import allows, required_labels, untolerated
from rules.reading.pods.containers import read_image
from rules.reading.pods.pod_affinity import Term, can_match, can_match_by_older_labels, selects, terms
from rules.reading.pods.pods import GRAPH_NAME_LABEL, PodTemplate
from rules.reading.pods.workers import FRONTEND_TYPE, GPU_RESOURCE
from rules.reading.pools import Pool, known_pools, node_labels, read_pools
from rules.reading.releases import operator_line
from rules.reading.shapes import Undecided, grouped, known, mapping_at, mappings_at, text_at
from rules.rule import rule
from rules.subjects import POD_TEMPLATES

_ONE_TYPE_SINCE = (1, 2)
"""First Dynamo release in which a worker's narrower type is its only one."""
_SERVER = re.compile(r"(etcd|nats)(-server)?")
_SPREADS_OVER_NODES = frozenset({"kubernetes.io/hostname", "topology.kubernetes.io/zone"})
_Place = tuple[str, tuple[str, str] | None]


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "A pod with a required affinity waits until a pod with those labels runs; where none ever carries "
        "them it stays Pending for ever."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ (inter-pod affinity); "
        "labels: ai-dynamo/dynamo deploy/operator internal/consts at 0367e40 and d50a02f, and as seen with "
        "the operators of 1.2 and 1.4"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Write the labels as the operator does: nvidia.com/dynamo-graph-deployment-name is the graph's name, "
        "nvidia.com/dynamo-component-type is frontend, prefill, decode or worker."
    ),
)
def pod_affinity_can_match(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Pods that others must run beside exist."""
    for term in terms(template, "podAffinity"):
        if term.required and not _means_a_pod(graph, template, term):
            place = text_at(term.content, "topologyKey") or "a topology"
            yield (
                f"must run beside a pod with {term} (by {place}), but no pod of the graph carries that, not "
                "even itself"
            )


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason="An anti-affinity to labels that no pod carries has no effect: the pods may share a node.",
    source=(
        "ai-dynamo/dynamo deploy/operator internal/consts at 0367e40 (the label is the graph's name, not the "
        "name of its frontend Service)"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Select by nvidia.com/dynamo-graph-deployment-name with the graph's name, and by "
        "nvidia.com/dynamo-component-type where only some of its pods are meant."
    ),
)
def pod_anti_affinity_can_match(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Pods that others keep away from exist."""
    for term in terms(template, "podAntiAffinity"):
        if not _means_a_pod(graph, template, term):
            own = template.labels.get(GRAPH_NAME_LABEL)
            label = f"; its own {GRAPH_NAME_LABEL} is {own}" if isinstance(own, str) else ""
            yield f"keeps away from pods with {term}, which no pod of the graph carries{label}"


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
    """Frontends run on nodes without GPUs."""
    if template.component_type != FRONTEND_TYPE or _reads_from_gpu_nodes(graph, template):
        return
    for pool in _gpu_pools(graph):
        why = _why_it_lands(template, pool) if allows(template.spec, pool) else None
        if why is not None:
            yield f"can land on a node with GPUs: {why}"
            return


def _reads_from_gpu_nodes(graph: ResourceGraph, template: PodTemplate) -> bool:
    """Whether only nodes with GPUs hold the model that the pod needs."""
    for volume in _volumes_by_pod(graph).get(template, ()):
        if volume.node_path is not None:
            return True
        claim = None if isinstance(volume.found, Undecided) else volume.found
        shared = claim is None or any(mode.endswith("Many") for mode in claim.modes)
        if not shared and any(user.kind == "worker" for user, _ in volume.users):
            return True
    return False


@memoized
def _volumes_by_pod(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[ModelVolume]]:
    volumes = read_model_volumes(graph)
    return grouped(
        (each, volume) for volume in volumes for each in {user.template for user, _ in volume.users}
    )


def _gpu_pools(graph: ResourceGraph) -> Sequence[Pool]:
    if read_pools(graph):
        return known_pools(graph)
    # No pool is known: labels that every node with GPUs carries still count.
    return [
        Pool(node.name, node, None, node_labels(node), None, node.nvlink_domain_gpus)
        for node in INSTANCE_TYPES.values()
    ]


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
    if _tolerates_gpu_nodes(template):
        return f"it tolerates the taint {GPU_RESOURCE} and does not select nodes without GPUs"
    raise Undecided(
        "it does not select nodes without GPUs, and nothing says whether a taint keeps it off those with GPUs"
    )


def _tolerates_gpu_nodes(template: PodTemplate) -> bool:
    return any(
        text_at(item, "key") == GPU_RESOURCE
        or (text_at(item, "key") is None and text_at(item, "operator") == "Exists")
        for item in mappings_at(template.spec, "tolerations")
    )


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Several members help only where one node does not hold two of them: without a majority of etcd for "
        "ten seconds the workers' leases end, and they end with them."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/; "
        "ai-dynamo/dynamo lib/runtime at d50a02f (lease of 10 s)"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Spread them by kubernetes.io/hostname (topologySpreadConstraints), and add a PodDisruptionBudget "
        "with maxUnavailable 1."
    ),
)
def servers_survive_a_node(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Members of etcd and NATS survive the loss of a node."""
    if template.resource.kind != "StatefulSet" or not _is_server(template) or template.replicas in {0, 1}:
        return
    members = f"{template.replicas} members"
    if not _is_spread(template):
        yield (
            f"nothing keeps its {members} on different nodes: no topologySpreadConstraints and no "
            "podAntiAffinity by kubernetes.io/hostname select them"
        )
    if not _has_budget(graph, template):
        budget = f"no PodDisruptionBudget selects its {members}"
        yield f"{budget}, so drains of several nodes may take them at once"


def _is_server(template: PodTemplate) -> bool:
    images = [read_image(container) for container in template.containers]
    return any(image is not None and _SERVER.fullmatch(image.name) for image in images)


def _is_spread(template: PodTemplate) -> bool:
    constraints = mappings_at(template.spec, "topologySpreadConstraints")
    chosen = [(item, mapping_at(item, "labelSelector")) for item in constraints]
    chosen += [(term.content, term.selector) for term in terms(template, "podAntiAffinity")]
    return any(
        text_at(item, "topologyKey") in _SPREADS_OVER_NODES and selects(selector, template) is not False
        for item, selector in chosen
    )


def _has_budget(graph: ResourceGraph, template: PodTemplate) -> bool:
    carried = [(key, value) for key, value in template.labels.items() if isinstance(value, str)]
    candidates = [
        budget
        for label in (*carried, None)
        # A manifest may leave the namespace open.
        for namespace in dict.fromkeys((str(template.resource.namespace), str(None)))
        for budget in _budgets(graph).get((namespace, label), ())
    ]
    return any(
        selects(mapping_at(budget.inputs, "spec", "selector"), template) is not False for budget in candidates
    )


@memoized
def _budgets(graph: ResourceGraph) -> Mapping[_Place, Sequence[Resource]]:
    """Budgets by namespace and by the first label that their selector pins, else by none."""
    budgets = graph.kubernetes_objects("PodDisruptionBudget")
    return grouped(((str(each.namespace), _first_label(each)), each) for each in budgets)


def _first_label(budget: Resource) -> tuple[str, str] | None:
    labels = known(mapping_at, budget.inputs, "spec", "selector", "matchLabels") or {}
    return next(((key, value) for key, value in labels.items() if isinstance(value, str)), None)
