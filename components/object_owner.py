"""Whose an object of the cluster is, and who has written its fields, by its labels and annotations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_MANAGED_BY, _INSTANCE = "app.kubernetes.io/managed-by", "app.kubernetes.io/instance"
_PULUMI = "pulumi"
# helm.sh/helm pkg/action/validate.go: Helm takes over nothing that names another release.
_RELEASE, _RELEASE_NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"


@dataclass(frozen=True, slots=True)
class Owner:
    """A stack of this project, or a Helm release."""

    stack: str | None = None
    """The stack's name as its label has it."""
    release: str | None = None
    """Namespace and name of the Helm release."""

    def __str__(self) -> str:
        return f"stack {self.stack}" if self.stack else f"Helm release {self.release}"


def owner_of(live: Mapping[str, Any]) -> Owner | None:
    """Return whose the object is; None where it does not say."""
    metadata: Mapping[str, Any] = live.get("metadata") or {}
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    labels: Mapping[str, str] = metadata.get("labels") or {}
    if _RELEASE in annotations:
        return Owner(release=f"{annotations.get(_RELEASE_NAMESPACE)}/{annotations[_RELEASE]}")
    if labels.get(_MANAGED_BY) == _PULUMI and _INSTANCE in labels:
        return Owner(stack=labels[_INSTANCE])
    return None


PULUMI_MANAGERS = ("pulumi-kubernetes", "pulumi-resource-kubernetes")
"""How the provider begins the names of its field managers (pulumi-kubernetes provider/pkg/await/await.go)."""


def managed_fields(live: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return an entry for each manager, operation and API version; `kubectl get` hides them unless told."""
    return live.get("metadata", {}).get("managedFields") or []


def is_pulumi(manager: str) -> bool:
    """Whether Pulumi's provider wrote what this manager owns."""
    return manager.startswith(PULUMI_MANAGERS)
