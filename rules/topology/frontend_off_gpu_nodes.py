"""Frontends run on nodes without GPUs."""

from collections.abc import Iterator, Mapping, Sequence

from hardware import INSTANCE_TYPES
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.nodes.landing import allows, untolerated
from rules.reading.nodes.node_selection import required_labels
from rules.reading.nodes.pools import Pool, known_pools, node_labels, read_pools
from rules.reading.once import once_per_graph
from rules.reading.pods.frontends import FRONTEND_TYPE
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.shapes import Undecided, mappings_at, text_at
from rules.reading.storage.model_volumes import ModelVolume, read_model_volumes

_GPU_KEY = "nvidia.com/gpu"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.component_type != FRONTEND_TYPE or _reads_from_gpu_nodes(graph, template):
        return
    for pool in _gpu_pools(graph):
        if not allows(template.spec, pool):
            continue
        why = _why_it_lands(template, pool)
        if why is not None:
            yield failed(template.resource, template.name, f"can land on a node with GPUs: {why}")
            return


def _reads_from_gpu_nodes(graph: ResourceGraph, template: PodTemplate) -> bool:
    """Whether the model that it needs is nowhere but on nodes with GPUs."""
    for volume in _volumes_by_pod(graph).get(template, ()):
        if volume.node_path is not None:
            return True
        claim = None if isinstance(volume.found, Undecided) else volume.found
        shared = claim is None or any(mode.endswith("Many") for mode in claim.modes)
        if not shared and any(user.kind == "worker" for user, _ in volume.users):
            return True
    return False


@once_per_graph
def _volumes_by_pod(graph: ResourceGraph) -> Mapping[PodTemplate, Sequence[ModelVolume]]:
    volumes: dict[PodTemplate, list[ModelVolume]] = {}
    for volume in read_model_volumes(graph):
        for template in {user.template for user, _ in volume.users}:
            volumes.setdefault(template, []).append(volume)
    return volumes


def _why_it_lands(template: PodTemplate, pool: Pool) -> str | None:
    if pool.taints is not None:
        if untolerated(template.spec, pool):
            return None
        taints = "whose taints it tolerates" if pool.taints else "which has no taint"
        return f"nothing keeps it off pool {pool.name}, {taints}"
    wanted = [str(label) for label in required_labels(template.spec) if label.key.startswith(f"{_GPU_KEY}.")]
    if wanted:
        return f"it selects {', '.join(wanted)}"
    if _tolerates_gpu_nodes(template):
        return f"it tolerates the taint {_GPU_KEY} and does not select nodes without GPUs"
    raise Undecided(
        "it does not select nodes without GPUs, and nothing says whether a taint keeps it off those with GPUs"
    )


def _tolerates_gpu_nodes(template: PodTemplate) -> bool:
    return any(
        text_at(item, "key") == _GPU_KEY
        or (text_at(item, "key") is None and text_at(item, "operator") == "Exists")
        for item in mappings_at(template.spec, "tolerations")
    )


def _gpu_pools(graph: ResourceGraph) -> Sequence[Pool]:
    if read_pools(graph):
        return known_pools(graph)
    # No pool is known: what the pod says of the labels that every node with GPUs carries still counts.
    return [
        Pool(node.name, node, None, node_labels(node), None, node.nvlink_domain_gpus)
        for node in INSTANCE_TYPES.values()
    ]


RULE = Rule(
    id="frontend-off-gpu-nodes",
    title="Frontends run on nodes without GPUs",
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
    check=_check,
)
