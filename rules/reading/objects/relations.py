"""What the API server refuses in a workload beyond its schema, in the server's words: mostly two places that
do not agree.

kubernetes/kubernetes pkg/apis/apps/validation and pkg/apis/core/validation at v1.36; what lint tools for
Kubernetes say too is left to them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware import GPU_RESOURCE
from resource_graph import UNKNOWN, Resource, Value
from resource_graph.values import Path
from rules.reading.objects.mistakes import PLACEHOLDER, Mistake
from rules.reading.objects.schemas import dotted
from rules.reading.pods.pods import GRAPH_KIND, GROUP, GROUP_KIND, GROUP_TEMPLATES, SPEC_PATHS
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    mapping_at,
    mappings_at,
    quantity,
    text_at,
)

_SELECTING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
"""Kinds that find their pods by a selector of their own, and restart them always; a Job does neither."""
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_NO_LETTER = "must contain at least one letter (a-z)"
_LONGEST_PORT_NAME = 15
_KINDS = ("initContainers", "containers")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
"""Effects of a taint that a toleration may name."""
_Finder = Callable[["_Pods"], Iterator[Mistake]]
_OPERATORS = ("Equal", "Exists", "Lt", "Gt")
"""Operators of a toleration; Lt and Gt are behind a feature gate of 1.35 and later."""
_NO_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
_COMPONENT_SPEC = ("podTemplate", "spec")
_SERVICE_SPEC, _MAIN = "extraPodSpec", "mainContainer"
"""The pods of a v1alpha1 service, and their container that serves, which is none of the list."""
_NONE_AT_ONCE = frozenset({"0", "0%"})


def relation_mistakes(resource: Resource) -> Iterator[Mistake]:
    """Each place of a workload that the API server refuses although its schema takes it.

    Of a Dynamo graph and a LeaderWorkerSet it refuses the pods, which never start.
    """
    path = SPEC_PATHS.get(resource.kind or "")
    if path is not None:
        spec = known(mapping_at, resource.inputs, *path)
        # Of a specification that only the update knows nothing is missing.
        of_spec = () if spec is None else (_restarts, _mounts, *_OF_ALL_PODS)
        yield from _found(_Pods(resource, spec or {}, path), (_selector, _strategy, *of_spec))
    elif resource.kind == GRAPH_KIND:
        for index, component in enumerate(known(mappings_at, resource.inputs, "spec", "components") or ()):
            spec = known(mapping_at, component, *_COMPONENT_SPEC) or {}
            at = ("spec", "components", index, *_COMPONENT_SPEC)
            yield from _found(_Pods(resource, spec, at), _OF_ALL_PODS)
        for name in known(mapping_at, resource.inputs, "spec", "services") or ():
            at = ("spec", "services", name)
            service = known(mapping_at, resource.inputs, *at) or {}
            spec = known(mapping_at, service, _SERVICE_SPEC) or {}
            yield from _found(_Pods(resource, spec, (*at, _SERVICE_SPEC)), _OF_ALL_PODS)
            yield from _found(_Pods(resource, service, at), (_requests_of_a_service,))
    elif resource.kind == GROUP_KIND:
        for part in GROUP_TEMPLATES:
            at = ("spec", GROUP, part, "spec")
            spec = known(mapping_at, resource.inputs, *at) or {}
            yield from _found(_Pods(resource, spec, at), (_mounts, *_OF_ALL_PODS))
    elif resource.kind == "Service":
        yield from _target_ports(resource)


@dataclass(frozen=True, slots=True)
class _Pods:
    resource: Resource
    spec: Mapping[str, Value]
    at: Path
    """Where the resource has the specification of the pods."""


def _found(pods: _Pods, finders: Sequence[_Finder]) -> Iterator[Mistake]:
    for find in finders:
        try:
            yield from find(pods)
        except Undecided:
            # The schema names what has another type, and what only the update knows may agree.
            continue


def _selector(pods: _Pods) -> Iterator[Mistake]:
    """The selector that the own pods do not match (ValidatePodTemplateSpecForReplicaSet)."""
    if pods.resource.kind not in _SELECTING:
        return
    wanted = mapping_at(pods.resource.inputs, "spec", "selector", "matchLabels")
    labels = mapping_at(pods.resource.inputs, "spec", "template", "metadata", "labels")
    if any(field(labels, key) != value for key, value in wanted.items()):
        shown = json.dumps(dict(labels), sort_keys=True, separators=(",", ":"))
        said = f"Invalid value: {shown}: `selector` does not match template `labels`"
        yield _mistake(("spec", "template", "metadata", "labels"), said)


def _strategy(pods: _Pods) -> Iterator[Mistake]:
    """A rollout that its own strategy excludes, or that may never begin (ValidateDeploymentStrategy)."""
    if pods.resource.kind != "Deployment":
        return
    strategy = mapping_at(pods.resource.inputs, "spec", "strategy")
    rolling = mapping_at(strategy, "rollingUpdate")
    at = ("spec", "strategy", "rollingUpdate")
    if text_at(strategy, "type") == "Recreate":
        if strategy.get("rollingUpdate") is not None:
            yield _mistake(at, "Forbidden: may not be specified when strategy `type` is 'Recreate'")
    elif {str(rolling.get(key)) for key in ("maxSurge", "maxUnavailable")} <= _NONE_AT_ONCE:
        shown = json.dumps(rolling["maxUnavailable"])
        said = f"Invalid value: {shown}: may not be 0 when `maxSurge` is 0"
        yield _mistake((*at, "maxUnavailable"), said)


def _restarts(pods: _Pods) -> Iterator[Mistake]:
    """The policy that the kind does not take (ValidatePodTemplateSpecForReplicaSet, validateJobSpec)."""
    policy = text_at(pods.spec, "restartPolicy")
    taken = ("Always",) if pods.resource.kind in _SELECTING else ("OnFailure", "Never")
    if (
        pods.resource.kind == "Pod"
        or policy in taken
        or (policy is None and pods.resource.kind in _SELECTING)
    ):
        return
    supported = ", ".join(f'"{each}"' for each in taken)
    shown = f'Unsupported value: "{policy}"' if policy is not None else "Required value"
    yield _mistake((*pods.at, "restartPolicy"), f"{shown}: supported values: {supported}")


def _tolerations(pods: _Pods) -> Iterator[Mistake]:
    """An effect of no taint, or an operator that does not fit (validateTaintEffect, ValidateTolerations)."""
    for index, toleration in enumerate(mappings_at(pods.spec, "tolerations")):
        at = (*pods.at, "tolerations", index)
        exists, given = text_at(toleration, "operator") == "Exists", text_at(toleration, "value")
        if exists and given:
            said = f"Invalid value: \"{given}\": value must be empty when `operator` is 'Exists'"
            yield _refused((*at, "operator"), given, said)
        if not exists and not text_at(toleration, "key"):
            shown = text_at(toleration, "operator") or ""
            yield _mistake((*at, "operator"), f'Invalid value: "{shown}": {_NO_KEY}')
        for key, known_values in (("effect", EFFECTS), ("operator", _OPERATORS)):
            value = text_at(toleration, key)
            if value and value not in known_values:
                supported = ", ".join(f'"{each}"' for each in known_values)
                said = f'Unsupported value: "{value}": supported values: {supported}'
                yield _refused((*at, key), value, said)


def _names(pods: _Pods) -> Iterator[Mistake]:
    """The name that an earlier container of the pod has (validateContainers)."""
    seen: set[str] = set()
    for at, container in _containers(pods):
        name = text_at(container, "name")
        if name is not None and name in seen:
            yield _mistake((*at, "name"), f'Duplicate value: "{name}"')
        seen.add(name or "")


def _variables(pods: _Pods) -> Iterator[Mistake]:
    """A value beside the source of another one (validateEnv)."""
    for at, container in _containers(pods):
        for index, entry in enumerate(mappings_at(container, "env")):
            value = entry.get("value")
            if value is not UNKNOWN and value and entry.get("valueFrom") is not None:
                said = 'Invalid value: "": may not be specified when `value` is not empty'
                yield _mistake((*at, "env", index, "valueFrom"), said)


def _mounts(pods: _Pods) -> Iterator[Mistake]:
    """A mount of a volume that the pod does not have, or at the path of another (ValidateVolumeMounts)."""
    volumes = {text_at(each, "name") for each in mappings_at(pods.spec, "volumes")}
    # The claims of a StatefulSet or a LeaderWorkerSet are volumes of its pods.
    for place in (("spec",), ("spec", GROUP)):
        claims = mappings_at(pods.resource.inputs, *place, "volumeClaimTemplates")
        volumes |= {text_at(each, "metadata", "name") for each in claims}
    for at, container in _containers(pods):
        paths: set[str | None] = set()
        for index, mount in enumerate(mappings_at(container, "volumeMounts")):
            name, mounted_at = text_at(mount, "name"), text_at(mount, "mountPath")
            place = (*at, "volumeMounts", index)
            if name is not None and name not in volumes:
                yield _mistake((*place, "name"), f'Not found: "{name}"')
            if mounted_at is not None and mounted_at in paths:
                yield _mistake((*place, "mountPath"), f'Invalid value: "{mounted_at}": must be unique')
            paths.add(mounted_at)


def _requests(pods: _Pods) -> Iterator[Mistake]:
    """Each request above its limit, or of other devices than it (ValidateContainerResourceRequirements)."""
    for at, container in _containers(pods):
        requests, limits = (mapping_at(container, "resources", kind) for kind in ("requests", "limits"))
        yield from _amounts((*at, "resources"), requests, limits)


def _requests_of_a_service(pods: _Pods) -> Iterator[Mistake]:
    """The same of what a v1alpha1 service asks for, with names of its own for GPUs, CPUs and memory."""
    both = (mapping_at(pods.spec, "resources", kind) for kind in ("requests", "limits"))
    requests, limits = ({**mapping_at(each, "custom"), **_own(each)} for each in both)
    yield from _amounts((*pods.at, "resources"), requests, limits)


def _own(amounts: Mapping[str, Value]) -> Mapping[str, Value]:
    names = {"cpu": "cpu", "memory": "memory", "gpu": text_at(amounts, "gpuType") or GPU_RESOURCE}
    return {name: amounts[key] for key, name in names.items() if amounts.get(key) is not None}


def _amounts(at: Path, requests: Mapping[str, Value], limits: Mapping[str, Value]) -> Iterator[Mistake]:
    for name, request in requests.items():
        # IsExtendedResourceName: of another domain than Kubernetes' own.
        most, is_device = limits.get(name), "/" in name and "kubernetes.io/" not in name
        if is_device and most is None:
            said = "Required value: Limit must be set for non overcommitable resources"
            yield _mistake((*at, "limits"), said)
        elif most is not None and str(request) != str(most):
            asked, bound = quantity(request, name), quantity(most, name)
            how = "equal to" if is_device else "less than or equal to"
            if asked > bound or (is_device and asked != bound):
                said = f'Invalid value: "{request}": must be {how} {name} limit of {most}'
                yield _mistake((*at, "requests"), said)


def _probes(pods: _Pods) -> Iterator[Mistake]:
    """A number in quotes, which is taken for a name (validateProbe)."""
    for at, container in _containers(pods):
        for name in _PROBES:
            probe = mapping_at(container, name)
            port = field(probe, "httpGet", "port")
            if isinstance(port, str) and port.isdigit():
                yield _mistake((*at, name, "httpGet", "port"), f'Invalid value: "{port}": {_NO_LETTER}')


def _ports(pods: _Pods) -> Iterator[Mistake]:
    """A name that no port may have (validateContainerPorts)."""
    for at, container in _containers(pods):
        for index, port in enumerate(mappings_at(container, "ports")):
            name = text_at(port, "name")
            if name is not None and len(name) > _LONGEST_PORT_NAME:
                said = f'Invalid value: "{name}": must be no more than {_LONGEST_PORT_NAME} characters'
                yield _mistake((*at, "ports", index, "name"), said)


def _target_ports(service: Resource) -> Iterator[Mistake]:
    """A number in quotes, which is taken for a port's name (ValidateServicePort)."""
    for index, port in enumerate(known(mappings_at, service.inputs, "spec", "ports") or ()):
        target = port.get("targetPort")
        if isinstance(target, str) and target.isdigit():
            at = ("spec", "ports", index, "targetPort")
            yield _mistake(at, f'Invalid value: "{target}": {_NO_LETTER}')


def _containers(pods: _Pods) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    spec = pods.spec
    for kind in _KINDS:
        for index, container in enumerate(mappings_at(spec, kind)):
            yield (*pods.at, kind, index), container
    main = mapping_at(spec, _MAIN)
    if main:
        yield (*pods.at, _MAIN), main


def _refused(at: Path, text: str, says: str) -> Mistake:
    return Mistake(at, "placeholder", text) if PLACEHOLDER.search(text) else _mistake(at, says)


def _mistake(at: Path, says: str) -> Mistake:
    return Mistake(at, "relation", f"{dotted(at)}: {says}")


_OF_ALL_PODS = (_tolerations, _names, _variables, _requests, _probes, _ports)
