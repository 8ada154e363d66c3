"""Whether the API server knows an object's kind, its fields and their values."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph
from resource_graph.spelling import most_alike
from rules.reading.objects.definitions import (
    built_in_kinds,
    candidates,
    custom_versions,
    group_of,
    version_of,
)
from rules.reading.objects.judged import Judged, read_mistakes
from rules.reading.objects.mistakes import PLACEHOLDER
from rules.reading.objects.schemas import dotted, hint, schema_at, value_at
from rules.reading.pods.containers import environment_entries, refused_as_root
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import known, mappings_at, text_at
from rules.rule import (
    READABLE_PODS,
    Advice,
    Observation,
    Rule,
    Said,
    Severity,
    failed,
    graph_rule,
    rule,
    undecided,
)

_LINES = (
    "Dynamo 1.2 to 1.5",
    "NVIDIA DRA driver 0.4 and 25.8",
    "Grove 0.1.0-alpha.8 and alpha.12",
    "LeaderWorkerSet 0.10",
    "Kubernetes 1.37",
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
_OURS = frozenset({_DYNAMO, "resource.nvidia.com", "leaderworkerset.x-k8s.io"})
"""Groups whose kinds and versions are all known here, and whose kinds nobody else defines."""
_LIKENESS = 0.92
"""Likeness of two kinds that differ by a letter or two: a PodClique is no misspelt PodCliqueSet."""
_MEDIUM = re.compile(r"Memory|HugePages(?:-.+)?")


@graph_rule(
    severity=Severity.MANDATORY,
    reason="The API server has no such resource, and the object is not created.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove, KAI and "
    "kubernetes-sigs/lws at the commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI "
    "1.30 to 1.37",
    lines=_LINES,
    fix="Write the apiVersion and kind that the finding names.",
)
def kind_served(graph: ResourceGraph) -> Iterator[Observation]:
    """Object is of a kind or version that no API server knows."""
    for resource in graph.kubernetes_objects():
        if candidates(graph, resource) is None:
            # What there is instead; nothing where the kind may well exist.
            known = _custom(resource) or _built_in(resource)
            if known is not None:
                said = f'no matches for kind "{resource.kind}" in version "{resource.api_version}"'
                yield failed(resource, resource.name, f"the API server: {said}; {known}", ("apiVersion",))


def _custom(resource: Resource) -> str | None:
    kind, group = resource.kind or "", group_of(resource)
    served = {(_DYNAMO, name): _DYNAMO_VERSIONS for name in _SCHEMALESS}
    served |= {home: versions for home, versions in custom_versions().items() if home[0] in _OURS}
    for (home, name), versions in served.items():
        if name == kind:
            right = home == group and version_of(resource) in versions
            return None if right else f"{kind} is served in {_listed(home, versions)}"
    near = most_alike(kind, [name for home, name in served if home == group], _LIKENESS)
    return f"the nearest kind of {group} is {near}" if near else None


def _built_in(resource: Resource) -> str | None:
    kinds, kind = built_in_kinds().get(group_of(resource)), resource.kind or ""
    if kinds is None or kind.endswith("List"):
        return None
    versions = sorted(version for version, name in kinds if name == kind)
    if versions:
        return f"{kind} is served in {_listed(group_of(resource), versions)}"
    near = most_alike(kind, [name for _, name in kinds], _LIKENESS)
    return f"the nearest kind there is {near}" if near else "Kubernetes has no such kind"


def _listed(group: str, versions: Sequence[str]) -> str:
    return " and ".join(f"{group}/{version}" if group else version for version in versions)


@graph_rule(
    severity=Severity.MANDATORY,
    reason="A client that asks for strict validation, as kubectl apply does, is refused; for every other one "
    "the API server drops the field in silence, and with it the setting.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove and "
    "kubernetes-sigs/lws at the commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI "
    "1.30 to 1.37; seen on API server 1.36.3",
    lines=_LINES,
    fix="Correct the name, or move the field to the place that the finding names.",
)
def fields_known(graph: ResourceGraph) -> Iterator[Observation]:
    """Field is none of the object's kind, or stands elsewhere."""
    unknown = [judged for judged in read_mistakes(graph) if judged.mistake.kind == "unknown"]
    for judged in unknown:
        see = failed if judged.doubt is None else undecided
        yield see(judged.resource, judged.subject, _unknown_field(judged), judged.mistake.path)


def _unknown_field(judged: Judged) -> str:
    resource, path = judged.resource, judged.mistake.path
    said = f"{dotted(path)} is no field of a {resource.kind} of {resource.api_version} in {judged.line}"
    if judged.doubt is not None:
        return f"{said}; {judged.doubt}"
    elsewhere = f"{judged.elsewhere[0]} has it" if judged.elsewhere else ""
    said_of_it = (said, hint(judged.schema, path), elsewhere, f"the API server: {judged.mistake.says}")
    return "; ".join(filter(None, said_of_it))


@graph_rule(
    severity=Severity.MANDATORY,
    reason="The API server refuses the object, or the pods of a graph or LeaderWorkerSet; no kubelet starts "
    "a container that must not be root and is. A variable with a space in its name is taken from Kubernetes "
    "1.32 on, and no program reads it (advice).",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove and "
    "kubernetes-sigs/lws at the commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI "
    "1.37; seen on API server 1.36.3; kubernetes/kubernetes pkg/kubelet/kuberuntime/security_context.go, "
    "verifyRunAsNonRoot, at v1.36",
    lines=_LINES,
    fix="Write a value of the type that the finding names. A number that must be a text stands in quotes. "
    "Labels of the pods hold those of the selector, and each mount names a volume of the pod. Give a "
    "container with runAsNonRoot a runAsUser other than 0.",
)
def values_accepted(graph: ResourceGraph) -> Iterator[Observation]:
    """Value is refused for its type, its limits, its absence, or another place of the object that differs."""
    for judged in (each for each in read_mistakes(graph) if each.mistake.kind != "unknown"):
        is_sure = judged.doubt is None and judged.mistake.kind != "placeholder"
        see = failed if is_sure else undecided
        yield see(judged.resource, judged.subject, _refused_value(judged), judged.mistake.path)
    yield from READABLE_PODS.judge(graph, _useless_in_pods)


def _useless_in_pods(_: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """Variables that no program reads, and volumes that no kubelet makes (kubernetes pkg/volume/emptydir)."""
    entries = (entry for each in template.all_containers for entry in environment_entries(template, each))
    for name in dict.fromkeys(known(text_at, entry, "name") for entry in entries):
        if name is not None and " " in name and not PLACEHOLDER.search(name):
            said = f"sets the variable {name!r}: no program reads one with a space in its name"
            yield Advice(f"{said}, and Kubernetes before 1.32 refuses it")
    for volume in known(mappings_at, template.spec, "volumes") or ():
        medium = known(text_at, volume, "emptyDir", "medium")
        name = known(text_at, volume, "name")
        if medium and not _MEDIUM.fullmatch(medium) and not PLACEHOLDER.search(medium):
            said = f"volume {name} has the medium {medium!r}, which no kubelet knows: Memory or HugePages"
            yield f"{said}; the pods stay in ContainerCreating"
    for name in known(refused_as_root, template) or ():
        said = f"container {name} has runAsNonRoot: true beside runAsUser: 0"
        yield f"{said}: the kubelet never starts it (CreateContainerConfigError)"


def _refused_value(judged: Judged) -> str:
    mistake, where = judged.mistake, dotted(judged.mistake.path)
    if mistake.kind == "placeholder":
        return f"{where} is {mistake.says}, which something is to replace"
    if judged.doubt is not None:
        return f"{judged.line} would refuse {where}; {judged.doubt}"
    if mistake.kind == "relation":
        return f"the API server: {mistake.says}"
    if mistake.kind == "missing":
        lacks = "is absent" if value_at(judged.resource.inputs, mistake.path) is None else "is empty"
        return f"{where} {lacks}; the API server: {mistake.says}"
    due = schema_at(judged.schema, mistake.path) if mistake.kind == "type" else None
    if due is not None and not due.is_definition:
        # A definition's refusal says itself what is due.
        kinds = " or ".join(sorted(due.kinds))
        return f"{where} {_shown(judged)}, not of type {kinds}; the API server: {mistake.says}"
    return f"{where} {_shown(judged)}; the API server: {mistake.says}"


def _shown(judged: Judged) -> str:
    value = value_at(judged.resource.inputs, judged.mistake.path)
    if isinstance(value, int | float):
        what = "truth value" if isinstance(value, bool) else "number"
        return f"is {str(value).lower()}, without quotes a {what}"
    if isinstance(value, str):
        return f"is the text {value!r}"
    if judged.mistake.kind == "value":
        return "repeats an earlier item" if isinstance(value, Mapping) else "has too many or too few items"
    return "is a mapping" if isinstance(value, Mapping) else "is a list"


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason="The operator starts the engine in that container. Without it the pod has no image to run, and "
    "admission refuses the graph from release 1.4 on.",
    source="ai-dynamo/dynamo deploy/operator/api/v1beta1 and internal/webhook/validation at d7bb84e",
    lines=("Dynamo 1.4",),
    fix="Call the container that serves `main`.",
)
def main_container_named(_: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Component of a v1beta1 graph has no container `main`."""
    if template.shape == "component" and not template.main:
        names = [str(text_at(container, "name")) for container in template.containers[1:]]
        has = f"its containers are {', '.join(names)}" if names else "it has no container"
        said = f"no container of the pod template is called main: {has}"
        yield failed(template.resource, template.name, said, template.at[:3])


RULES: tuple[Rule, ...] = (kind_served, fields_known, values_accepted, main_container_named)
