"""What both directions share: resources, mounts, environments, and Go's merge of two containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.controller.api import Manifest

MAIN = "main"
_KINDS = ("requests", "limits")
# In the graph's own words -> in Kubernetes'.
_NAMED = {"cpu": "cpu", "memory": "memory", "gpu": "nvidia.com/gpu"}


def native_resources(resources: Manifest) -> Manifest:
    """The graph's own resource keys as Kubernetes names them."""

    def amounts(given: Manifest) -> Manifest:
        return {_NAMED[key]: given[key] for key in _NAMED if given.get(key)} | (given.get("custom") or {})

    made = {kind: amounts(resources.get(kind) or {}) for kind in _KINDS}
    return without_empty(made | {"claims": resources.get("claims")})


def own_resources(native: Manifest) -> Manifest:
    """The inverse: amounts as strings, what has no key of its own under `custom`."""

    def amounts(given: Manifest) -> Manifest:
        named = {own: str(given[key]) for own, key in _NAMED.items() if key in given}
        custom = {key: str(value) for key, value in given.items() if key not in _NAMED.values()}
        return named | without_empty({"custom": custom})

    made = {kind: amounts(native.get(kind) or {}) for kind in _KINDS}
    return without_empty(made | {"claims": native.get("claims")})


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
    return list({variable["name"]: variable for variable in [*base, *own]}.values())


def containers_of(component: Manifest) -> list[Manifest]:
    """The containers of a component's pod template."""
    spec: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    return spec.get("containers") or []


def main_of(containers: list[Manifest]) -> Manifest | None:
    """The container named main."""
    return next((each for each in containers if each["name"] == MAIN), None)


def without_empty(fields: Manifest) -> Manifest:
    """Without what Go leaves out of JSON."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}
