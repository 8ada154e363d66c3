"""A component of v1beta1 as a service of v1alpha1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion.native import (
    MAIN,
    as_strings,
    main_of,
    native_resources,
    own_resources,
    place,
    without_empty,
)
from lab.dynamo_operator.conversion.shared_to_beta import (
    FRONTEND_SIDECAR,
    SUB_TYPES,
    component_of,
    main_container,
)

if TYPE_CHECKING:
    from lab.controller.api import Manifest

_SAME = ("eppConfig", "globalDynamoNamespace", "modelRef", "multinode", "replicas", "topologyConstraint")
_SIMPLE = ("dynamoNamespace", "autoscaling", "ingress", "annotations", "labels", "subComponentType")
_SWITCHED_OFF = ("scalingAdapter", "gpuMemoryService", "failover", "checkpoint")
_PROBES = ("livenessProbe", "readinessProbe")


def service_of(component: Manifest, kept: Manifest | None) -> Manifest:
    """The service; `kept` is what a v1alpha1 object left behind when it was read as v1beta1."""
    service: Manifest = {key: component[key] for key in _SAME if key in component}
    kind: str = component.get("type", "")
    if kind:
        service["componentType"] = "worker" if kind in SUB_TYPES else kind
    if kind in SUB_TYPES:
        service["subComponentType"] = kind
    if "sharedMemorySize" in component:
        size = str(component["sharedMemorySize"])
        service["sharedMemory"] = {"disabled": True, "size": size} if size == "0" else {"size": size}
    if "compilationCache" in component:
        cache: Manifest = component["compilationCache"]
        path = {"mountPoint": cache["mountPath"]} if cache.get("mountPath") else {}
        service["volumeMounts"] = [{"name": cache["pvcName"], "useAsCompilationCache": True} | path]
    if "scalingAdapter" in component:
        service["scalingAdapter"] = {"enabled": True}
    for name, setting in (component.get("experimental") or {}).items():
        service[name] = _experimental(setting)
    _take_apart(component, service, kept or {})
    if kept:
        _give_back(service, kept, has_main=_main(component) is not None)
    return service


def _main(component: Manifest) -> Manifest | None:
    spec: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    return main_of(spec.get("containers") or [])


def _take_apart(component: Manifest, service: Manifest, kept: Manifest) -> None:
    """The main container's fields that a service has itself, and the rest as extraPodSpec."""
    template: Manifest = component.get("podTemplate") or {}
    metadata: Manifest = template.get("metadata") or {}
    extra_metadata = {key: metadata[key] for key in ("annotations", "labels") if metadata.get(key)}
    if extra_metadata:
        service["extraPodMetadata"] = extra_metadata
    pod: Manifest = template.get("spec") or {}
    others = [each for each in pod.get("containers") or [] if each["name"] != MAIN]
    if kept.get("frontendSidecar") and component.get("frontendSidecar") == FRONTEND_SIDECAR:
        service["frontendSidecar"] = _sidecar(others, kept["frontendSidecar"])
        others = [each for each in others if each["name"] != FRONTEND_SIDECAR]
    extra: Manifest = {key: value for key, value in pod.items() if key != "containers"}
    if others:
        extra["containers"] = others
    main = _to_the_service(dict(_main(component) or {}), service)
    if main:
        extra["mainContainer"] = main
    if extra:
        service["extraPodSpec"] = extra


def _to_the_service(main: Manifest, service: Manifest) -> Manifest:
    """Moves the main container's fields that a service has itself; returns the rest."""
    resources = own_resources(main.pop("resources", None) or {})
    if resources:
        service["resources"] = resources
    flat = [{"name": name, "mountPoint": path} for name, path in map(place, main.pop("volumeMounts", []))]
    if flat:
        there: list[Manifest] = service.get("volumeMounts", [])
        new = [each for each in flat if place(each) not in {place(known) for known in there}]
        service["volumeMounts"] = [*there, *new]
    if main.get("env"):
        service["envs"] = main.pop("env")
    for probe in _PROBES:
        if main.get(probe):
            service[probe] = main.pop(probe)
    return without_empty({key: value for key, value in main.items() if key != "name"})


def _sidecar(containers: list[Manifest], origin: Manifest) -> Manifest:
    found = next((each for each in containers if each["name"] == FRONTEND_SIDECAR), None)
    if found is None:
        return origin
    fields = {"image": found.get("image"), "args": found.get("args"), "envs": found.get("env")}
    sources = found.get("envFrom") or []
    secret = sources[0]["secretRef"]["name"] if len(sources) == 1 and "secretRef" in sources[0] else None
    return without_empty(fields | {"envFromSecret": secret})


def _give_back(service: Manifest, kept: Manifest, *, has_main: bool) -> None:
    """What v1beta1 has no place for, and which of two places of v1alpha1 a field came from."""
    for key in _SIMPLE:
        if kept.get(key) and not service.get(key):
            service[key] = kept[key]
    for key in _SWITCHED_OFF:
        if key in kept and key not in service:
            service[key] = kept[key]
    if kept.get("sharedMemory") and "sharedMemory" not in service:
        service["sharedMemory"] = kept["sharedMemory"]
    if "extraPodMetadata" in kept:
        service.setdefault("extraPodMetadata", kept["extraPodMetadata"])
    if not has_main:
        return
    _give_back_secret(service, kept)
    if "resources" in kept and native_resources(service.get("resources") or {}) == native_resources(
        kept["resources"]
    ):
        service["resources"] = kept["resources"]
    own: Manifest | None = (kept.get("extraPodSpec") or {}).get("mainContainer")
    if own is not None:
        _give_back_origins(service, kept, own)


def _give_back_secret(service: Manifest, kept: Manifest) -> None:
    main: Manifest = (service.get("extraPodSpec") or {}).get("mainContainer") or {}
    source = [{"secretRef": {"name": kept.get("envFromSecret")}}]
    if kept.get("envFromSecret") and main.get("envFrom") == source:
        service["envFromSecret"] = kept["envFromSecret"]
        del main["envFrom"]


def _give_back_origins(service: Manifest, kept: Manifest, own: Manifest) -> None:
    now, then = main_container(service), main_container(kept)
    if as_strings(now.get("resources", {})) == as_strings(then.get("resources", {})):
        _put(service, "resources", kept.get("resources"), "resources", own.get("resources"))
    if now.get("env") == then.get("env"):
        _put(service, "envs", kept.get("envs"), "env", own.get("env"))
    cached = {place(each) for each in service.get("volumeMounts", []) if each.get("useAsCompilationCache")}
    mounts = [place(each) for each in now.get("volumeMounts", []) if place(each) not in cached]
    if mounts == [place(each) for each in then.get("volumeMounts", [])]:
        flat = [each for each in kept.get("volumeMounts") or [] if not each.get("useAsCompilationCache")]
        cache = [each for each in service.get("volumeMounts", []) if each.get("useAsCompilationCache")]
        _put(service, "volumeMounts", [*flat, *cache], "volumeMounts", own.get("volumeMounts"))
    for probe in _PROBES:
        if now.get(probe) == then.get(probe):
            _put(service, probe, kept.get(probe), probe, own.get(probe))


def _put(service: Manifest, key: str, of_service: Any, main_key: str, of_main: Any) -> None:
    """One field to its two places; from a place that had nothing it goes."""
    service.pop(key, None)
    if of_service:
        service[key] = of_service
    if of_main:
        service.setdefault("extraPodSpec", {}).setdefault("mainContainer", {})[main_key] = of_main


def lost_by(component: Manifest, service: Manifest) -> bool:
    """Whether v1beta1 would read something else: a mount's further fields, an order, a sidecar's name."""
    back = component_of(component["name"], service, None)
    if component.get("frontendSidecar") != back.get("frontendSidecar"):
        return True
    names, names_back = (
        [
            each["name"]
            for each in ((given.get("podTemplate") or {}).get("spec") or {}).get("containers") or []
        ]
        for given in (component, back)
    )
    mounts, mounts_back = ((_main(given) or {}).get("volumeMounts", []) for given in (component, back))
    return names != names_back or mounts != mounts_back


def _experimental(setting: Manifest) -> Manifest:
    mode: str = setting.get("mode", "")
    spelt = {"mode": mode[0].lower() + mode[1:]} if mode.endswith("Pod") else {}
    return setting | spelt | {"enabled": True}
