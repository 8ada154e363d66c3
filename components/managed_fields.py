"""Who has written which fields of a live object, as the API server notes it in metadata.managedFields."""

from collections.abc import Mapping, Sequence
from typing import Any

PULUMI_MANAGERS = ("pulumi-kubernetes", "pulumi-resource-kubernetes")
"""How the provider begins the names of its field managers (pulumi-kubernetes provider/pkg/await/await.go)."""


def managed_fields(live: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return an entry for each manager, operation and API version; `kubectl get` hides them unless told."""
    return live.get("metadata", {}).get("managedFields") or []


def is_pulumi(manager: str) -> bool:
    """Whether Pulumi's provider wrote what this manager owns."""
    return manager.startswith(PULUMI_MANAGERS)
