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
_LIKENESS = 0.8


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
    kind, group, version = resource.kind or "", group_of(resource), version_of(resource)
    served = {**{(_DYNAMO, name): _DYNAMO_VERSIONS for name in _SCHEMALESS}, **custom_versions()}
    if (group, kind) in served:
        versions = served[group, kind]
        return None if version in versions else f"{kind} is served in {_listed(group, versions)}"
    # A Queue is another scheduler's too; the other names are nobody else's.
    homes = [
        (home, versions) for (home, name), versions in served.items() if name == kind and kind != "Queue"
    ]
    if homes:
        home, versions = homes[0]
        return f"{kind} is served in {_listed(home, versions)}"
    near = difflib.get_close_matches(kind, [name for home, name in served if home == group], 1, _LIKENESS)
    return f"the nearest kind of {group} is {near[0]}" if near else None


def _built_in(resource: Resource) -> str | None:
    kinds = built_in_kinds().get(group_of(resource))
    if kinds is None:
        return None
    kind = resource.kind or ""
    versions = sorted(version for version, name in kinds if name == kind)
    if versions:
        return f"{kind} is served in {_listed(group_of(resource), versions)}"
    names = {name for _, name in kinds}
    near = difflib.get_close_matches(kind, names, 1, _LIKENESS)
    folded = [name for name in names if name.lower() == kind.lower()]
    return (
        f"the nearest kind there is {(folded or near)[0]}"
        if folded or near
        else "Kubernetes has no such kind"
    )


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
