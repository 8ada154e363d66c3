"""Whether the API server knows kinds, fields and values, and keeps each object by its name."""

import re
from collections.abc import Iterator, Sequence

from resource_graph import Resource, ResourceGraph, Value, has_unknown, value_at
from rules.reading.objects.definitions import has_schema, other_versions
from rules.reading.objects.judged import Judged, read_mistakes
from rules.reading.objects.mistakes import PLACEHOLDER
from rules.reading.objects.schemas import dotted, hint, schema_at
from rules.reading.pods.containers import all_containers, must_not_be_root, user_of
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import grouped, mappings_at, shown, text_at
from rules.rule import (
    EVERY_RELEASE,
    READABLE_PODS,
    Observation,
    Rule,
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

_PATCHED = " (judge a patch by what `kustomize build` prints)"
_WHOLE = frozenset({"spec", "spec.template"})
"""Where nothing stands the API server names fields below."""
_LEFT_OUT = _WHOLE | {"spec.selector", "spec.template.spec.containers"}
"""What a patch of a workload has no need to repeat."""
_MEDIUM = re.compile(r"Memory|HugePages(?:-.+)?")


@graph_rule(
    severity=Severity.MANDATORY,
    reason="The API server has no such resource, and the object is not created.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove and "
    "kubernetes-sigs/lws at the commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI "
    "1.30 to 1.37",
    lines=_LINES,
    fix="Write an apiVersion that the finding names.",
)
def kind_served(graph: ResourceGraph) -> Iterator[Observation]:
    """Version of an object is none in which its kind is served."""
    for resource in graph.kubernetes_objects():
        if not has_schema(resource) and (versions := other_versions(resource)):
            said = f'no matches for kind "{resource.kind}" in version "{resource.api_version}"'
            served = f"{resource.kind} is served in {' and '.join(versions)}"
            yield failed(resource, resource.name, f"the API server: {said}; {served}", ("apiVersion",))


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
    patched = _PATCHED if path[-1] in {"$patch", "$retainKeys"} else ""
    said = (
        f"{dotted(path)} is no field of a {resource.kind} of {resource.api_version} in {judged.line}{patched}"
    )
    if judged.doubt is not None:
        return f"{said}; {judged.doubt}"
    elsewhere = f"{judged.elsewhere[0]} has it" if judged.elsewhere else ""
    said_of_it = (said, hint(judged.schema, path), elsewhere, f"the API server: {judged.mistake.says}")
    return "; ".join(filter(None, said_of_it))


@graph_rule(
    severity=Severity.MANDATORY,
    reason="The API server refuses the object, or the pods of a graph or LeaderWorkerSet.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu, Grove and "
    "kubernetes-sigs/lws at the commits in rules/reading/objects/definitions.json; Kubernetes' own OpenAPI "
    "1.37; seen on API server 1.36.3",
    lines=_LINES,
    fix="Write a value of the type that the finding names. A number that must be a text stands in quotes. "
    "Labels of the pods hold those of the selector, and each mount names a volume of the pod.",
)
def values_accepted(graph: ResourceGraph) -> Iterator[Observation]:
    """Value is refused for its type, its limits, its absence, or another place of the object that differs."""
    for judged in (each for each in read_mistakes(graph) if each.mistake.kind != "unknown"):
        is_sure = judged.doubt is None and judged.mistake.kind != "placeholder"
        see = failed if is_sure else undecided
        yield see(judged.resource, judged.subject, _refused_value(judged), judged.mistake.path)
    yield from READABLE_PODS.judge(graph, _useless_pods)


def _useless_pods(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Volumes that no kubelet makes (kubernetes pkg/volume/emptydir), and containers that it never starts."""
    for volume in mappings_at(template.spec, "volumes"):
        medium = text_at(volume, "emptyDir", "medium")
        if medium and not _MEDIUM.fullmatch(medium) and not PLACEHOLDER.search(medium):
            said = f"volume {text_at(volume, 'name')} has the medium {medium!r}, which no kubelet knows"
            yield f"{said}: Memory or HugePages; the pods stay in ContainerCreating"
    for name, container in all_containers(template):
        if user_of(template.spec, container) == 0 and must_not_be_root(template.spec, container):
            said = f"container {name} has runAsNonRoot: true beside runAsUser: 0"
            yield f"{said}: the kubelet never starts it (CreateContainerConfigError)"


def _refused_value(judged: Judged) -> str:
    mistake, where = judged.mistake, dotted(judged.mistake.path)
    value = value_at(judged.resource.inputs, mistake.path)
    if mistake.kind == "placeholder":
        return f"{where} is {mistake.says}, which something is to replace"
    if judged.doubt is not None:
        return f"{judged.line} would refuse {where}; {judged.doubt}"
    if mistake.kind == "missing":
        lacks = "is absent" if value is None else "is empty"
        patched = _PATCHED if value is None and where in _LEFT_OUT else ""
        says = "" if where in _WHOLE else f"; the API server: {mistake.says}"
        return f"{where} {lacks}{patched}{says}"
    if mistake.kind == "relation" or (mistake.kind == "value" and not isinstance(value, str | int | float)):
        return f"the API server: {mistake.says}"
    due = schema_at(judged.schema, mistake.path) if mistake.kind == "type" else None
    # A definition's refusal says itself what is due.
    kinds = () if due is None or due.is_definition else sorted(due.kinds)
    instead = f", not of type {' or '.join(kinds)}" if kinds else ""
    return f"{where} {_shown(value)}{instead}; the API server: {mistake.says}"


def _shown(value: Value) -> str:
    if isinstance(value, int | float):
        what = "truth value" if isinstance(value, bool) else "number"
        return f"is {str(value).lower()}, without quotes a {what}"
    return f"is the text {value!r}" if isinstance(value, str) else f"is {shown(value)}"


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


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The second to be applied replaces the keys of the first: the pods of the first graph go on until "
        "one of them restarts, and then fail for want of their engine file."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b: trtllm/agg/deploy.yaml at 668dd11 and "
        "trtllm/disagg/deploy.yaml at 04521f4, both of which call theirs llm-config"
    ),
    lines=EVERY_RELEASE,
    fix="Give each graph a ConfigMap of its own name, best one that ends in a hash of its content.",
)
def config_names_unique(graph: ResourceGraph) -> Iterator[Observation]:
    """Two ConfigMaps of different content have one name."""
    by_name = grouped(
        ((each.provider, each.known_namespace, name), each)
        for each in graph.kubernetes_objects("ConfigMap")
        if isinstance(name := each.object_name, str)
    )
    for (_, _, name), (first, *others) in by_name.items():
        for other in others:
            is_known = not has_unknown(first.inputs) and not has_unknown(other.inputs)
            if is_known and _content(first) != _content(other):
                said = f"{_where(other)} and {_where(first)} have different content and are one object"
                yield failed(other, name, said)


def _content(config_map: Resource) -> Sequence[Value]:
    return [config_map.inputs.get(part) or {} for part in ("data", "binaryData")]


def _where(resource: Resource) -> str:
    return f"the one of {resource.origin}" if resource.origin else f"the one registered as {resource.name}"


RULES: tuple[Rule, ...] = (
    kind_served,
    fields_known,
    values_accepted,
    main_container_named,
    config_names_unique,
)
