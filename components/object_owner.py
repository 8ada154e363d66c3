"""Whose an object of the cluster is, and who has written its fields, by its labels and annotations."""

from collections.abc import Mapping, Sequence
from typing import Any

_MANAGED_BY, _INSTANCE = "app.kubernetes.io/managed-by", "app.kubernetes.io/instance"
_PULUMI = "pulumi"
# helm.sh/helm pkg/action/validate.go: Helm takes over nothing that names another release.
_RELEASE, _RELEASE_NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"


def stack_owner(name: str) -> str:
    """Return how `owner_of` calls a stack of this project; `name` as its label has it."""
    return f"stack {name}"


def owner_of(live: Mapping[str, Any]) -> str | None:
    """Return whose the object is, a stack of this project or a Helm release; None where it does not say."""
    metadata: Mapping[str, Any] = live.get("metadata") or {}
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    labels: Mapping[str, str] = metadata.get("labels") or {}
    if _RELEASE in annotations:
        return f"Helm release {annotations.get(_RELEASE_NAMESPACE)}/{annotations[_RELEASE]}"
    if labels.get(_MANAGED_BY) == _PULUMI and _INSTANCE in labels:
        return stack_owner(labels[_INSTANCE])
    return None


PULUMI_MANAGERS = ("pulumi-kubernetes", "pulumi-resource-kubernetes")
"""How the provider begins the names of its field managers (pulumi-kubernetes provider/pkg/await/await.go)."""


def managed_fields(live: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return an entry for each manager, operation and API version; `kubectl get` hides them unless told."""
    return live.get("metadata", {}).get("managedFields") or []


def is_pulumi(manager: str) -> bool:
    """Whether Pulumi's provider wrote what this manager owns."""
    return manager.startswith(PULUMI_MANAGERS)
