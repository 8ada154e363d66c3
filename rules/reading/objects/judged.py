"""Every mistake in the structure of a graph's objects, and how sure it is: by schemas, and beyond them.

Beyond its schema the API server refuses places of one object that do not agree, and words that it does not
know (kubernetes/kubernetes pkg/apis/apps/validation and pkg/apis/core/validation at v1.36). What it says at
once of a workload, and lint tools for Kubernetes say too, is left to them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware import GPU_RESOURCE
from resource_graph import Path, Resource, ResourceGraph, Value, value_at
from resource_graph.spelling import most_alike
from rules.reading.objects.definitions import candidates, other_lines
from rules.reading.objects.mistakes import Mistake, find_mistakes, refused
from rules.reading.objects.schemas import SURE, Schema, dotted, schema_at
from rules.reading.pods.operator_defaults import PROBE_TIMES, PROBES
from rules.reading.pods.pod_affinity import REQUIRED
from rules.reading.pods.pods import GRAPH_KIND, GROUP, PodTemplate, pods_by_resource, readable
from rules.reading.shapes import Undecided, field, known, mapping_at, mappings_at, memoized, quantity, text_at

_SERVICE_STEP = 2
"""Position of the service's name in the path of one of its parts: spec.services.NAME."""
_SELECTING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
"""Kinds that find their pods by a selector of their own; a Job does not."""
_OPERATORS = ("Equal", "Exists", "Lt", "Gt")
"""Operators of a toleration; Lt and Gt are behind a feature gate of 1.35 and later."""
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_NO_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
"""Effects of a taint that a toleration may name."""
_MAIN = "mainContainer"
"""The container of a v1alpha1 service that serves, which is none of the list."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A mistake in one object."""

    resource: Resource
    mistake: Mistake
    line: str
    """Name of the release by whose schema the object has the mistake."""
    schema: Schema
    """Schema of the whole object in that release."""
    elsewhere: tuple[str, ...]
    """Names of other releases, in which the object has no such mistake."""
    doubt: str | None
    """Why the object may have no mistake in this release either; None where the mistake is sure."""

    @property
    def subject(self) -> str:
        """Name of the service or component that has the mistake, else of the object."""
        resource, path = self.resource, self.mistake.path
        if resource.kind != GRAPH_KIND or len(path) <= _SERVICE_STEP or path[0] != "spec":
            return resource.name
        if path[1] == "services":
            return str(path[_SERVICE_STEP])
        name = value_at(resource.inputs, (*path[:3], "name")) if path[1] == "components" else None
        return name if isinstance(name, str) else resource.name


@memoized
def read_mistakes(graph: ResourceGraph) -> Sequence[Judged]:
    """Every mistake in the graph's objects, in the order of the graph."""
    return tuple(judged for resource in graph.kubernetes_objects() for judged in _judge(graph, resource))


def _judge(graph: ResourceGraph, resource: Resource) -> Iterator[Judged]:
    by_line, unheld = candidates(graph, resource)
    # A patch of somebody else's object holds only a part of one.
    if not by_line or resource.type.endswith("Patch"):
        return
    # No release of Kubernetes judges these by a schema.
    pods = tuple(readable(pods_by_resource(graph).get(resource.urn, ())))
    others = [mistake for template in pods for mistake in _beyond_schema(template)]
    found = {line: [*find_mistakes(resource.inputs, schema), *others] for line, schema in by_line.items()}
    # In the words of the newest release that makes it.
    newest = {_key(mistake): (line, mistake) for line, items in found.items() for mistake in items}
    for key, (line, mistake) in newest.items():
        right = tuple(other for other, items in found.items() if all(_key(item) != key for item in items))
        every, schema = list(found), by_line[line]
        shown = line if right or len(every) == 1 else f"each known release, {every[0]} to {every[-1]}"
        doubt: str | None = None
        if right:
            doubt = f"nothing says which release it is for, and {' and '.join(right)} would take it"
        elif unheld is not None:
            if not (_is_one_anywhere(mistake, schema) or _is_of_pods(mistake, pods)):
                doubt = f"the schema of {unheld} is not known here, that of {shown} is"
        elif mistake.kind == "unknown" and len(every) == 1:
            right = _lines_with(resource, mistake.path)
            # The release of a graph is told.
            if right and resource.kind != GRAPH_KIND:
                doubt = f"{right[0]} has it, and nothing says which release the cluster runs"
        yield Judged(resource, mistake, shown, schema, right, doubt)


def _key(mistake: Mistake) -> tuple[Path, str]:
    return mistake.path, mistake.kind


def _is_one_anywhere(mistake: Mistake, schema: Schema) -> bool:
    """Whether every release refuses it: a wrong type, an amount that is none, or nearly a known field."""
    parent, due = schema_at(schema, mistake.path[:-1]), schema_at(schema, mistake.path)
    if mistake.kind == "unknown" and parent is not None:
        return most_alike(str(mistake.path[-1]), parent.names, SURE) is not None
    if mistake.kind == "value":
        return due is not None and {*due.kinds} == {"integer", "string"}
    return mistake.kind == "type"


def _is_of_pods(mistake: Mistake, pods: Sequence[PodTemplate]) -> bool:
    """Whether Kubernetes refuses it inside a specification of pods, whatever a graph's own release takes."""
    return mistake.kind in {"missing", "relation"} and any(
        mistake.path[: len(pod.at)] == pod.at and len(mistake.path) > len(pod.at) + 1 for pod in pods
    )


def _lines_with(resource: Resource, path: Path) -> tuple[str, ...]:
    """The releases of which a schema of the object's kind has the field."""
    return tuple(
        line
        for line, schema in other_lines(resource)
        if (parent := schema_at(schema, path[:-1])) is not None and path[-1] in parent.names
    )


def _beyond_schema(template: PodTemplate) -> Iterator[Mistake]:
    """Each place of the pods that the API server refuses although its schema takes the place.

    Of a Dynamo graph and a LeaderWorkerSet it refuses the pods, which never start.
    """
    for find in (*((_selector, _mounts) if template.shape == "workload" else ()), *_OF_ALL_PODS):
        try:
            yield from find(template)
        except Undecided:
            # The schema names what has another type, and what only the update knows may agree.
            continue


def _selector(template: PodTemplate) -> Iterator[Mistake]:
    """The selector that the own pods do not match (ValidatePodTemplateSpecForReplicaSet)."""
    if template.resource.kind not in _SELECTING:
        return
    wanted = mapping_at(template.described_by, "selector", "matchLabels")
    labels = template.labels
    # What only the update knows may agree.
    if any(
        isinstance(value, str) and isinstance(labels.get(key), str | None) and labels.get(key) != value
        for key, value in wanted.items()
    ):
        texts = {key: value for key, value in labels.items() if isinstance(value, str)}
        shown = json.dumps(texts, sort_keys=True, separators=(",", ":"))
        said = f"Invalid value: {shown}: `selector` does not match template `labels`"
        yield _mistake(("spec", "template", "metadata", "labels"), said)


def _tolerations(template: PodTemplate) -> Iterator[Mistake]:
    """An effect of no taint, or an operator that does not fit (validateTaintEffect, ValidateTolerations)."""
    for index, toleration in enumerate(mappings_at(template.spec, "tolerations")):
        at = (*template.at, "tolerations", index)
        exists, given = text_at(toleration, "operator") == "Exists", text_at(toleration, "value")
        if exists and given:
            said = f"Invalid value: \"{given}\": value must be empty when `operator` is 'Exists'"
            yield _mistake((*at, "operator"), said, given)
        if not exists and not text_at(toleration, "key"):
            shown = text_at(toleration, "operator") or ""
            yield _mistake((*at, "operator"), f'Invalid value: "{shown}": {_NO_KEY}')
        for key, known_values in (("effect", EFFECTS), ("operator", _OPERATORS)):
            yield from _unsupported(toleration, (*at, key), known_values)


def _pull_policies(template: PodTemplate) -> Iterator[Mistake]:
    """A policy of pulling images that there is not (validatePullPolicy)."""
    for at, container in _containers(template):
        yield from _unsupported(container, (*at, "imagePullPolicy"), _PULL_POLICIES)


def _unsupported(parent: Mapping[str, Value], at: Path, supported: Sequence[str]) -> Iterator[Mistake]:
    value = text_at(parent, str(at[-1]))
    if value and value not in supported:
        listed = ", ".join(f'"{each}"' for each in supported)
        yield _mistake(at, f'Unsupported value: "{value}": supported values: {listed}', value)


def _mounts(template: PodTemplate) -> Iterator[Mistake]:
    """A mount of a volume that the pod does not have (ValidateVolumeMounts)."""
    volumes = {text_at(each, "name") for each in mappings_at(template.spec, "volumes")}
    # The claims of a StatefulSet or a LeaderWorkerSet are volumes of its pods.
    for place in (("spec",), ("spec", GROUP)):
        claims = mappings_at(template.resource.inputs, *place, "volumeClaimTemplates")
        volumes |= {text_at(each, "metadata", "name") for each in claims}
    for at, container in _containers(template):
        for index, mount in enumerate(mappings_at(container, "volumeMounts")):
            name = text_at(mount, "name")
            if name is not None and name not in volumes:
                yield _mistake((*at, "volumeMounts", index, "name"), f'Not found: "{name}"')


def _devices(template: PodTemplate) -> Iterator[Mistake]:
    """Devices requested in another number than their limit (ValidateContainerResourceRequirements)."""
    for at, container in _containers(template):
        requests, limits = (mapping_at(container, "resources", kind) for kind in ("requests", "limits"))
        yield from _unequal((*at, "resources"), requests, limits)
    if template.shape == "service":
        requests, limits = (_of_service(template.described_by, kind) for kind in ("requests", "limits"))
        yield from _unequal((*template.at[:-1], "resources"), requests, limits)


def _operators(template: PodTemplate) -> Iterator[Mistake]:
    """An operator that no selector of nodes has (ValidateNodeSelectorRequirement)."""
    at: Path = ("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
    for index, term in enumerate(mappings_at(template.spec, *map(str, at))):
        for number, expression in enumerate(mappings_at(term, "matchExpressions")):
            operator = text_at(expression, "operator")
            if operator and operator not in _NODE_OPERATORS:
                where = (*template.at, *at, index, "matchExpressions", number, "operator")
                said = f'Invalid value: "{operator}": not a valid selector operator'
                yield _mistake(where, said, operator)


def _of_service(service: Mapping[str, Value], kind: str) -> Mapping[str, Value]:
    """What a v1alpha1 service asks for, which has a name of its own for GPUs."""
    gpus = field(service, "resources", kind, "gpu")
    own = {} if gpus is None else {GPU_RESOURCE: gpus}
    return {**mapping_at(service, "resources", kind, "custom"), **own}


def _unequal(at: Path, requests: Mapping[str, Value], limits: Mapping[str, Value]) -> Iterator[Mistake]:
    for name, request in requests.items():
        limit = limits.get(name)
        # IsExtendedResourceName: of another domain than Kubernetes' own.
        if "/" not in name or "kubernetes.io/" in name:
            continue
        if limit is None:
            said = "Required value: Limit must be set for non overcommitable resources"
            yield _mistake((*at, "limits"), said)
        elif quantity(request, name) != quantity(limit, name):
            said = f'Invalid value: "{request}": must be equal to {name} limit of {limit}'
            yield _mistake((*at, "requests"), said)


def _probes(template: PodTemplate) -> Iterator[Mistake]:
    """A port in quotes, which is taken for a name, or a time below zero (validateProbe)."""
    for at, container in _containers(template):
        for name in PROBES:
            for key in (*PROBE_TIMES, "timeoutSeconds", "successThreshold"):
                amount = known(field, container, name, key)
                if isinstance(amount, int) and amount < 0:
                    said = f"Invalid value: {amount}: must be greater than or equal to 0"
                    yield _mistake((*at, name, key), said)
            port = known(field, container, name, "httpGet", "port")
            if isinstance(port, str) and port.isdigit():
                said = f'Invalid value: "{port}": must contain at least one letter (a-z)'
                yield _mistake((*at, name, "httpGet", "port"), said)


def _containers(template: PodTemplate) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(mappings_at(template.spec, kind)):
            yield (*template.at, kind, index), container
    if template.shape == "service":
        yield (*template.at, _MAIN), template.main


def _mistake(at: Path, says: str, written: str = "") -> Mistake:
    return refused(written, at, "relation", f"{dotted(at)}: {says}")


_OF_ALL_PODS: tuple[Callable[[PodTemplate], Iterator[Mistake]], ...] = (
    _tolerations,
    _operators,
    _devices,
    _pull_policies,
    _probes,
)
