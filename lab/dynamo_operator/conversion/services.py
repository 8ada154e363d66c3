"""A service of v1alpha1 as a component of v1beta1, and back.

Where one version cannot say what the other says, `kept` holds what it was: on the way to v1beta1 parts of an
earlier v1beta1 component, on the way to v1alpha1 parts of an earlier service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion.fields import TWO_PLACES
from lab.dynamo_operator.conversion.native import (
    MAIN,
    containers_of,
    main_of,
    merge,
    merge_environment,
    native_resources,
    own_resources,
    place,
    without_empty,
)

if TYPE_CHECKING:
    from lab.controller.api import Manifest

SUB_TYPES = frozenset({"prefill", "decode"})


def component_of(name: str, service: Manifest, kept: Manifest | None) -> Manifest:
    """The component."""
    component: Manifest = {"name": name}
    size = (service.get("sharedMemory") or {}).get("size")
    component |= without_empty({"type": _component_type(service), "sharedMemorySize": size})
    if "replicas" in service:
        component["replicas"] = service["replicas"]
    component["podTemplate"] = _pod_template(service)
    _give_back_component(component["podTemplate"], kept or {})
    return component


def _component_type(service: Manifest) -> str:
    """`worker` with subComponentType prefill or decode is that type."""
    declared: str = service.get("componentType", "")
    sub_type: str = service.get("subComponentType", "")
    return sub_type if declared == "worker" and sub_type in SUB_TYPES else declared


def service_of(component: Manifest, kept: Manifest | None) -> Manifest:
    """The service."""
    service: Manifest = {}
    if "replicas" in component:
        service["replicas"] = component["replicas"]
    kind: str = component.get("type", "")
    service |= without_empty({"componentType": "worker" if kind in SUB_TYPES else kind})
    if kind in SUB_TYPES:
        service["subComponentType"] = kind
    if "sharedMemorySize" in component:
        service["sharedMemory"] = {"size": str(component["sharedMemorySize"])}
    template: Manifest = component.get("podTemplate") or {}
    metadata = without_empty(template.get("metadata") or {})
    others = [each for each in containers_of(component) if each["name"] != MAIN]
    extra = {key: value for key, value in (template.get("spec") or {}).items() if key != "containers"}
    main = main_of(containers_of(component)) or {}
    extra |= without_empty({"containers": others, "mainContainer": _taken_apart(main, service)})
    service |= without_empty({"extraPodMetadata": metadata, "extraPodSpec": extra})
    if kept:
        _give_back_service(service, kept)
    return service


def lost_by(component: Manifest, service: Manifest) -> bool:
    """Whether v1beta1 would read something else of the service: a mount's further fields, an order."""
    own, back = containers_of(component), containers_of(component_of(component["name"], service, None))
    return [each["name"] for each in own] != [each["name"] for each in back] or (
        (main_of(own) or {}).get("volumeMounts", []) != (main_of(back) or {}).get("volumeMounts", [])
    )


def _main_container(service: Manifest) -> Manifest:
    """What v1beta1 makes of all that v1alpha1 says about the main container, in two places."""
    base = without_empty({main: service.get(own) for own, main in TWO_PLACES.items()})
    mounts = service.get("volumeMounts") or []
    base |= without_empty(
        {
            "resources": native_resources(service.get("resources") or {}),
            "volumeMounts": [dict(zip(("name", "mountPath"), place(each), strict=True)) for each in mounts],
        }
    )
    own: Manifest = (service.get("extraPodSpec") or {}).get("mainContainer") or {}
    environment = merge_environment(base.get("env", []), own.get("env") or [])
    return without_empty(merge(base, own) | {"env": environment}) | {"name": MAIN}


def _pod_template(service: Manifest) -> Manifest:
    pod: Manifest = dict(service.get("extraPodSpec") or {})
    pod.pop("mainContainer", None)
    others = [each for each in pod.get("containers") or [] if each["name"] != MAIN]
    metadata = without_empty(service.get("extraPodMetadata") or {})
    return without_empty({"metadata": metadata}) | {
        "spec": pod | {"containers": [_main_container(service), *others]}
    }


def _give_back_component(template: Manifest, kept: Manifest) -> None:
    """Puts back what v1alpha1 has no place for: fields of mounts, the order of containers."""
    remembered = containers_of(kept)
    containers: list[Manifest] = template["spec"]["containers"]
    main = containers[0]
    places = {place(mount): mount for mount in (main_of(remembered) or {}).get("volumeMounts", [])}
    if "volumeMounts" in main:
        main["volumeMounts"] = [places.get(place(mount), mount) for mount in main["volumeMounts"]]
    order = [each["name"] for each in remembered]
    if sorted(order) == sorted(each["name"] for each in containers):
        containers.sort(key=lambda each: order.index(each["name"]))


def _taken_apart(main: Manifest, service: Manifest) -> Manifest:
    """Moves the main container's fields that a service has itself; returns the rest."""
    moved = {own: main.get(name) for own, name in TWO_PLACES.items()}
    mounts = [
        dict(zip(("name", "mountPoint"), place(each), strict=True)) for each in main.get("volumeMounts", [])
    ]
    moved |= {"resources": own_resources(main.get("resources") or {}), "volumeMounts": mounts}
    service |= without_empty(moved)
    rest = {key: value for key, value in main.items() if key not in {"name", *TWO_PLACES.values()}}
    return without_empty(rest)


def _give_back_service(service: Manifest, kept: Manifest) -> None:
    """What v1beta1 has no place for, and which of two places of v1alpha1 a field came from."""
    if "annotations" in kept:
        service["annotations"] = kept["annotations"]
    own: Manifest | None = (kept.get("extraPodSpec") or {}).get("mainContainer")
    now, then = _main_container(service), _main_container(kept)
    for key, name in TWO_PLACES.items():
        is_same = _comparable(name, now.get(name)) == _comparable(name, then.get(name))
        if is_same and (key == "resources" or own is not None):
            _put(service, key, kept.get(key), name, (own or {}).get(name))


def _comparable(name: str, value: Any) -> Any:
    """Amounts as strings, as the API server and the operator write quantities; mounts by place alone."""
    if name == "resources":
        return {
            key: amounts if key == "claims" else {name: str(amount) for name, amount in amounts.items()}
            for key, amounts in (value or {}).items()
        }
    return [place(each) for each in value or []] if name == "volumeMounts" else value


def _put(service: Manifest, key: str, of_service: Any, name: str, of_main: Any) -> None:
    """One field to its two places; from a place that had nothing it goes."""
    service.pop(key, None)
    service |= without_empty({key: of_service})
    if of_main:
        service.setdefault("extraPodSpec", {}).setdefault("mainContainer", {})[name] = of_main
