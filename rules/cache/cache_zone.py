"""Pods that mount a volume of one zone are kept in that zone."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes
from rules.reading.storage.one_node import on_one_node
from rules.reading.storage.storage_classes import makes_ebs_volumes

_ZONE = "topology.kubernetes.io/zone"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, lambda volume: _check_volume(graph, volume))


def _check_volume(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    claim = volume.claim
    if claim is None or not isinstance(claim.storage_class, str):
        return
    if not makes_ebs_volumes(graph, claim.storage_class):
        return
    templates = {user.template: user.name for user, _ in volume.users}
    free = [name for template, name in templates.items() if not _names_zone(template.spec)]
    # One pod alone takes its volume along to where it is first placed.
    if len(templates) < 2 or not free:  # noqa: PLR2004 - a single kind of pod
        return
    if _is_kept_on_one_node(graph, volume):
        return
    yield failed(
        claim.resource,
        volume.name,
        f"of class {claim.storage_class} is made in the zone of the first pod that mounts it, but nothing "
        f"says in which zone {', '.join(free)} must be",
    )


def _is_kept_on_one_node(graph: ResourceGraph, volume: ModelVolume) -> bool:
    try:
        return on_one_node(graph, {user.template: user for user, _ in volume.users}.values())
    except Undecided:
        # Then nothing that was read keeps them there.
        return False


def _names_zone(spec: Mapping[str, Value]) -> bool:
    if _ZONE in mapping_at(spec, "nodeSelector"):
        return True
    terms = mappings_at(
        spec,
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    return bool(terms) and all(
        any(text_at(item, "key") == _ZONE for item in mappings_at(term, "matchExpressions")) for term in terms
    )


RULE = Rule(
    id="cache-zone",
    title="Pods that mount a volume of one zone are kept in that zone",
    severity=Severity.ADVISORY,
    reason=(
        "An EBS volume is in one zone. If the download's pod lands in another zone than the GPU nodes, no "
        "worker can ever mount what it filled."
    ),
    source=(
        "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes.html; NVIDIA/aicr#257 (claims stranded "
        "in a zone)"
    ),
    lines=EVERY_RELEASE,
    fix=(f"Give download, workers and frontend one node selector on {_ZONE}, or share files (EFS)."),
    check=_check,
)
