"""DiffConfig: whether a changed provider is the same provider, which decides over every resource it holds."""

from __future__ import annotations

from typing import Any

from lab.kubernetes_provider.kubeconfig import KubeconfigError, load, target
from lab.kubernetes_provider.values import Unknown, contains_unknown
from lab.provider_service.difference import ConfigDiff

_CLUSTER_INPUTS = ("kubeconfig", "context")


def diff(old: dict[str, Any], new: dict[str, Any]) -> ConfigDiff:
    """Compares provider inputs.

    A clusterIdentifier that stays the same means the same cluster whatever else changes; one that
    changes between two set values means another. Without it the kubeconfig's active cluster entry
    decides, so that a new token or user is an update.
    """
    changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    if old.get("clusterIdentifier") and new.get("clusterIdentifier"):
        return ConfigDiff(changed, [key for key in ("clusterIdentifier",) if key in changed])
    unknown = [key for key in _CLUSTER_INPUTS if isinstance(new.get(key), Unknown)]
    touched = [key for key in _CLUSTER_INPUTS if key in changed]
    is_another = not unknown and touched and _cluster(old) != _cluster(new)
    return ConfigDiff(changed, touched if is_another else unknown)


def _cluster(inputs: dict[str, Any]) -> dict[str, Any] | None:
    """The cluster entry that the inputs select, None when it cannot be known."""
    kubeconfig, context = given = [inputs.get(key) for key in _CLUSTER_INPUTS]
    try:
        return None if contains_unknown(given) else target(load(kubeconfig), context).cluster
    except KubeconfigError:
        return None
