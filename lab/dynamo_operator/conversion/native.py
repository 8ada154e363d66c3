"""What both directions share: resources, mounts, environments, and Go's merge of two containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.controller.api import Manifest

MAIN = "main"
_GPU = "nvidia.com/gpu"
_NAMED = {"cpu": "cpu", "memory": "memory", _GPU: "gpu"}


def native_resources(resources: Manifest) -> Manifest:
    """The graph's own resource keys as Kubernetes names them."""
    result: Manifest = {}
    for kind in ("requests", "limits"):
        given: Manifest = resources.get(kind) or {}
        amounts = {key: given[key] for key in ("cpu", "memory") if given.get(key)}
        if given.get("gpu"):
            amounts[given.get("gpuType") or _GPU] = given["gpu"]
        amounts |= given.get("custom") or {}
        if amounts:
            result[kind] = amounts
    if resources.get("claims"):
        result["claims"] = resources["claims"]
    return result


def own_resources(native: Manifest) -> Manifest:
    """The inverse: amounts as strings, what has no key of its own under `custom`."""
    result: Manifest = {}
    for kind in ("requests", "limits"):
        amounts: Manifest = native.get(kind) or {}
        named = {own: str(amounts[key]) for key, own in _NAMED.items() if key in amounts}
        custom = {key: str(value) for key, value in amounts.items() if key not in _NAMED}
        if amounts:
            result[kind] = named | ({"custom": custom} if custom else {})
    if native.get("claims"):
        result["claims"] = native["claims"]
    return result


def as_strings(native: Manifest) -> Manifest:
    """Resources with every amount as a string, as the API server and the operator write quantities."""
    return {
        key: value if key == "claims" else {name: str(amount) for name, amount in value.items()}
        for key, value in native.items()
    }


def native_mounts(service: Manifest) -> list[Manifest]:
    """A service's volumeMounts as a container has them."""
    return [
        {"name": mount["name"], "mountPath": mount.get("mountPoint", "")}
        for mount in service.get("volumeMounts") or []
    ]


def place(mount: Manifest) -> tuple[str, str]:
    """Volume and path, by which mounts are compared: other fields do not exist in v1alpha1."""
    return mount["name"], mount.get("mountPath", mount.get("mountPoint", ""))


def merge(base: Any, own: Any) -> Any:
    """Go's mergo with override: objects merge, lists are replaced, emptiness changes nothing.

    A list of mounts is therefore lost to another list of mounts (mended by ai-dynamo/dynamo#11263).
    """
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: merge(base.get(key), value) for key, value in own.items()}
    return base if own in (None, "", [], {}, 0, False) and base is not None else own


def merge_environment(base: list[Manifest], own: list[Manifest]) -> list[Manifest]:
    """Both, in the order of their first naming; `own` wins."""
    merged = {variable["name"]: variable for variable in base}
    return list((merged | {variable["name"]: variable for variable in own}).values())


def main_of(containers: list[Manifest]) -> Manifest | None:
    """The container named main."""
    return next((each for each in containers if each["name"] == MAIN), None)


def without_empty(fields: Manifest) -> Manifest:
    """Without what Go leaves out of JSON."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}
