"""A claim names a storage class that can be there."""

import re
from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.shapes import Undecided, field
from rules.reading.storage.claims import Claim, read_claims
from rules.reading.storage.storage_classes import makes_ebs_volumes

_PLACEHOLDER = re.compile(r"<.*>|(?:your|my|example|replace|changeme|todo|xxx)[-_ ]?.*", re.IGNORECASE)
# The class of one cluster of NVIDIA's, in recipes that everybody copies.
_OF_ONE_CLUSTER = frozenset({"dgxc-enterprise-file"})
_DEFAULT_ANNOTATION = "storageclass.kubernetes.io/is-default-class"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    has_default = any(_is_default(resource) for resource in graph.kubernetes_objects("StorageClass"))
    for claim in read_claims(graph):
        try:
            problem = _problem(graph, claim, has_default=has_default)
        except Undecided:
            # A name that only the update knows is some resource's own, so the class is there.
            continue
        if problem:
            yield failed(claim.resource, claim.name, problem)


def _problem(graph: ResourceGraph, claim: Claim, *, has_default: bool) -> str:
    name = claim.storage_class
    if name is None and not has_default and claim.volume_name is None:
        return "names no storage class, so it waits for the cluster's default one, which may not exist"
    if not isinstance(name, str):
        return ""
    if _PLACEHOLDER.fullmatch(name):
        return f"asks for storage class {name}, which stands for a name that nobody filled in"
    if name in _OF_ONE_CLUSTER:
        return f"asks for storage class {name}, which is of the publisher's own cluster"
    shared = [mode for mode in claim.modes if mode.endswith("Many")]
    if shared and makes_ebs_volumes(graph, name):
        return f"asks for {shared[0]} from storage class {name}, whose EBS volumes have no such mode"
    return ""


def _is_default(storage_class: Resource) -> bool:
    try:
        return field(storage_class.inputs, "metadata", "annotations", _DEFAULT_ANNOTATION) == "true"
    except Undecided:
        return False


RULE = Rule(
    id="storage-class-exists",
    title="A claim names a storage class that can be there",
    severity=Severity.ADVISORY,
    reason=(
        "A claim of a class that does not exist, or that cannot do what it asks for, stays Pending, and so "
        "do all its pods. EKS clusters from 1.30 have no default class."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1; NVIDIA/aicr#107 (claims "
        "Pending on EKS)"
    ),
    lines=EVERY_RELEASE,
    fix="Name a class that kubectl get storageclass lists.",
    check=_check,
)
