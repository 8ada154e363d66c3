"""Every object is of a kind and version that an API server can know."""

import difflib
from collections.abc import Iterator, Sequence

from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.objects.definitions import (
    built_in_kinds,
    candidates,
    custom_versions,
    group_of,
    version_of,
)

_DYNAMO = "nvidia.com"
_SCHEMALESS = (
    "DynamoCheckpoint",
    "DynamoComponentDeployment",
    "DynamoGraphDeploymentRequest",
    "DynamoGraphDeploymentScalingAdapter",
    "DynamoModel",
    "DynamoWorkerMetadata",
)
"""Kinds of the same chart whose schemas are not held here (ai-dynamo/dynamo deploy/helm/charts/platform)."""
_DYNAMO_VERSIONS = ("v1alpha1", "v1beta1")
_OURS = frozenset({_DYNAMO, "resource.nvidia.com"})
"""Groups whose versions are all known here; and their kinds are nobody else's."""
_LIKENESS = 0.92
"""A letter or two: a PodClique is no misspelt PodCliqueSet."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource in graph.kubernetes_objects():
        if candidates(graph, resource) is None:
            known = _meant(resource)
            if known is not None:
                said = f'no matches for kind "{resource.kind}" in version "{resource.api_version}"'
                yield failed(resource, resource.name, f"the API server: {said}; {known}", ("apiVersion",))


def _meant(resource: Resource) -> str | None:
    """What there is instead; None where the kind may well exist."""
    return _custom(resource) or _built_in(resource)


def _custom(resource: Resource) -> str | None:
    kind, group = resource.kind or "", group_of(resource)
    served = {(_DYNAMO, name): _DYNAMO_VERSIONS for name in _SCHEMALESS}
    served |= {home: versions for home, versions in custom_versions().items() if home[0] in _OURS}
    for (home, name), versions in served.items():
        if name == kind:
            right = home == group and version_of(resource) in versions
            return None if right else f"{kind} is served in {_listed(home, versions)}"
    near = _nearest(kind, [name for home, name in served if home == group])
    return f"the nearest kind of {group} is {near}" if near else None


def _built_in(resource: Resource) -> str | None:
    kinds, kind = built_in_kinds().get(group_of(resource)), resource.kind or ""
    if kinds is None or kind.endswith("List"):
        return None
    versions = sorted(version for version, name in kinds if name == kind)
    if versions:
        return f"{kind} is served in {_listed(group_of(resource), versions)}"
    near = _nearest(kind, [name for _, name in kinds])
    return f"the nearest kind there is {near}" if near else "Kubernetes has no such kind"


def _nearest(kind: str, names: Sequence[str]) -> str | None:
    known = {name.lower(): name for name in names}
    found = difflib.get_close_matches(kind.lower(), known, 1, _LIKENESS)
    return known[found[0]] if found else None


def _listed(group: str, versions: Sequence[str]) -> str:
    return " and ".join(f"{group}/{version}" if group else version for version in versions)


RULE = Rule(
    id="kind-served",
    title="Every object is of a kind and version that the API server can know",
    severity=Severity.MANDATORY,
    reason="The API server has no such resource, and the object is not created.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove and KAI at the "
    "commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI 1.30 to 1.37",
    lines=(
        "Dynamo 1.2 to 1.5",
        "NVIDIA DRA driver 0.4 and 25.8",
        "Grove 0.1.0-alpha.8 and alpha.12",
        "Kubernetes 1.37",
    ),
    fix="Write the apiVersion and kind that the finding names.",
    check=_check,
)
