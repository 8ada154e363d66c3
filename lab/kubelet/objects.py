"""What pods refer to, read before a pod starts."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.controller.api import KubernetesApi, Manifest


class CannotStartError(Exception):
    """The container cannot be started as it is; `reason` is the kubelet's name for it."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Objects:
    """ConfigMaps, Secrets and claims by kind, namespace and name."""

    found: Mapping[tuple[str, str, str], Manifest] = field(default_factory=dict)

    def get(self, pod: Mapping[str, Any], kind: str, name: str) -> Manifest | None:
        """Return the object of the pod's namespace, or None."""
        return self.found.get((kind, pod["metadata"]["namespace"], name))

    def demand(self, pod: Mapping[str, Any], kind: str, name: str, reason: str) -> Manifest:
        """Return the object of the pod's namespace; raise CannotStartError where it does not exist."""
        held = self.get(pod, kind, name)
        if held is None:
            raise CannotStartError(reason, f'{kind.lower()} "{name}" not found')
        return held

    def texts(
        self, pod: Mapping[str, Any], kind: str, name: str, reason: str, *, optional: bool
    ) -> dict[str, str]:
        """Return the data of a ConfigMap or Secret as text; nothing of one that need not exist."""
        if optional and self.get(pod, kind, name) is None:
            return {}
        data: dict[str, str] = self.demand(pod, kind, name, reason).get("data") or {}
        if kind != "Secret":
            return data
        return {key: base64.b64decode(value).decode() for key, value in data.items()}


async def read_objects(api: KubernetesApi, pod: Mapping[str, Any]) -> Objects:
    """Return everything that the pod's volumes and variables name and that exists."""
    namespace = pod["metadata"]["namespace"]
    found: dict[tuple[str, str, str], Manifest] = {}
    for kind, name in sorted(_references(pod["spec"])):
        held = await api.get("v1", kind, name, namespace)
        if held is not None:
            found[kind, namespace, name] = held
    return Objects(found)


_KINDS = {
    "configMap": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "secretKeyRef": ("Secret", "name"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}


def _references(part: object) -> set[tuple[str, str]]:
    if isinstance(part, list):
        return set().union(*map(_references, part))
    if not isinstance(part, dict):
        return set()
    named: set[tuple[str, str]] = set()
    for key, value in part.items():
        if key in _KINDS and isinstance(value, dict):
            kind, name = _KINDS[key]
            # A projected Secret bears `name`, one that is a volume `secretName`.
            given = value.get(name) or value.get("name")
            if given:
                named.add((kind, given))
        named |= _references(value)
    return named
