"""A service of v1alpha1 as a component of v1beta1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion.native import (
    MAIN,
    main_of,
    merge,
    merge_environment,
    native_mounts,
    native_resources,
    place,
    without_empty,
)

if TYPE_CHECKING:
    from lab.controller.api import Manifest

FRONTEND_SIDECAR = "sidecar-frontend"
SUB_TYPES = frozenset({"prefill", "decode"})
EXPERIMENTAL = ("gpuMemoryService", "failover", "checkpoint")
_SAME = ("eppConfig", "globalDynamoNamespace", "modelRef", "multinode", "replicas", "topologyConstraint")


def component_of(name: str, service: Manifest, kept: Manifest | None) -> Manifest:
    """The component; `kept` is what a v1beta1 object that was stored as v1alpha1 left behind."""
    component: Manifest = {"name": name} | {key: service[key] for key in _SAME if key in service}
    kind = component_type(service)
    if kind:
        component["type"] = kind
    component |= _memory(service.get("sharedMemory") or {}) | _compilation_cache(service)
    if (service.get("scalingAdapter") or {}).get("enabled"):
        component["scalingAdapter"] = {}
    experimental = {key: _experimental(service[key]) for key in EXPERIMENTAL if _is_on(service.get(key))}
    if experimental:
        component["experimental"] = experimental
    template = _pod_template(service, comes_from_beta=bool(kept and "podTemplate" in kept))
    if template is not None:
        component["podTemplate"] = template
        if service.get("frontendSidecar"):
            component["frontendSidecar"] = FRONTEND_SIDECAR
    if kept is not None:
        _give_back(component, kept)
    return component


def component_type(service: Manifest) -> str:
    """`worker` with subComponentType prefill or decode is that type."""
    declared: str = service.get("componentType", "")
    sub_type: str = service.get("subComponentType", "")
    return sub_type if declared == "worker" and sub_type in SUB_TYPES else declared


def main_container(service: Manifest) -> Manifest:
    """What v1beta1 makes of all that v1alpha1 says about the main container, in two places."""
    base = without_empty(
        {
            "resources": native_resources(service.get("resources") or {}),
            "env": service.get("envs"),
            "envFrom": [{"secretRef": {"name": service["envFromSecret"]}}]
            if service.get("envFromSecret")
            else [],
            "livenessProbe": service.get("livenessProbe"),
            "readinessProbe": service.get("readinessProbe"),
            "volumeMounts": native_mounts(service),
        }
    )
    own: Manifest = (service.get("extraPodSpec") or {}).get("mainContainer") or {}
    container: Manifest = merge(base, own)
    environment = merge_environment(base.get("env", []), own.get("env") or [])
    return without_empty(container | {"env": environment}) | {"name": MAIN}


def _memory(memory: Manifest) -> Manifest:
    if memory.get("disabled"):
        return {"sharedMemorySize": "0"}
    return {"sharedMemorySize": str(memory["size"])} if memory.get("size") else {}


def _compilation_cache(service: Manifest) -> Manifest:
    for mount in service.get("volumeMounts") or []:
        if mount.get("useAsCompilationCache"):
            path = {"mountPath": mount["mountPoint"]} if mount.get("mountPoint") else {}
            return {"compilationCache": {"pvcName": mount["name"]} | path}
    return {}


def _pod_template(service: Manifest, *, comes_from_beta: bool) -> Manifest | None:
    mounts = [each for each in service.get("volumeMounts") or [] if not each.get("useAsCompilationCache")]
    told = ("resources", "envs", "envFromSecret", "livenessProbe", "readinessProbe", "frontendSidecar")
    extra: Manifest = service.get("extraPodSpec") or {}
    has_content = any(service.get(key) for key in told) or mounts or extra or "extraPodMetadata" in service
    if not (has_content or comes_from_beta):
        return None
    template: Manifest = {}
    metadata = without_empty(service.get("extraPodMetadata") or {})
    if metadata:
        template["metadata"] = metadata
    pod = {key: value for key, value in extra.items() if key != "mainContainer"}
    others = [each for each in pod.get("containers") or [] if each["name"] != MAIN]
    pod["containers"] = [main_container(service), *others]
    if service.get("frontendSidecar") and not any(each["name"] == FRONTEND_SIDECAR for each in others):
        pod["containers"].append(_sidecar(service["frontendSidecar"]))
    return template | {"spec": pod}


def _sidecar(settings: Manifest) -> Manifest:
    secret = settings.get("envFromSecret")
    fields = {"image": settings.get("image"), "args": settings.get("args"), "env": settings.get("envs")}
    source = [{"secretRef": {"name": secret}}] if secret else []
    return {"name": FRONTEND_SIDECAR} | without_empty(fields | {"envFrom": source})


def _experimental(setting: Manifest) -> Manifest:
    """v1beta1 has what is there enabled, and spells the modes of memory service and failover IntraPod."""
    fields = {key: value for key, value in setting.items() if key != "enabled"}
    mode: str = fields.get("mode", "")
    return fields | ({"mode": mode[0].upper() + mode[1:]} if mode.endswith("Pod") else {})


def _is_on(setting: Manifest | None) -> bool:
    return bool(setting and setting.get("enabled"))


def _give_back(component: Manifest, kept: Manifest) -> None:
    """Puts back what v1alpha1 has no place for: fields of mounts, the order of containers, a sidecar."""
    if "frontendSidecar" in kept:
        component.setdefault("frontendSidecar", kept["frontendSidecar"])
    template: Manifest | None = component.get("podTemplate")
    if template is None or "podTemplate" not in kept:
        return
    remembered: list[Manifest] = (kept["podTemplate"].get("spec") or {}).get("containers") or []
    containers: list[Manifest] = template["spec"]["containers"]
    main, old_main = main_of(containers), main_of(remembered)
    if main is not None:
        places = {place(mount): mount for mount in (old_main or {}).get("volumeMounts", [])}
        cache: Manifest = component.get("compilationCache") or {}
        cached = (cache.get("pvcName", ""), cache.get("mountPath", ""))
        mounts = [
            places.get(place(mount), mount)
            for mount in main.get("volumeMounts", [])
            if place(mount) in places or place(mount) != cached
        ]
        main |= {"volumeMounts": mounts} if mounts else {}
        if not mounts:
            main.pop("volumeMounts", None)
        if old_main is None and set(main) == {"name"}:
            containers.remove(main)
    order = [each["name"] for each in remembered]
    if sorted(order) == sorted(each["name"] for each in containers):
        containers.sort(key=lambda each: order.index(each["name"]))
    if not containers:
        del template["spec"]["containers"]
    if not template["spec"]:
        del template["spec"]
