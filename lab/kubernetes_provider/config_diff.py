"""DiffConfig: whether a changed provider is the same provider, which decides over every resource it holds."""

from __future__ import annotations

from typing import Any

from lab.kubernetes_provider.kubeconfig import active_cluster
from lab.kubernetes_provider.values import Unknown
from lab.provider_service.difference import ConfigDiff

_CLUSTER_INPUTS = ("kubeconfig", "context", "cluster")


def diff(old: dict[str, Any], new: dict[str, Any]) -> ConfigDiff:
    """Compares provider inputs.

    A clusterIdentifier that stays the same means the same cluster whatever else changes; one that
    changes between two set values means another. Without it the kubeconfig's active cluster entry
    decides, so that a new token or user is an update.
    """
    changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    replaces = [key for key in ("renderYamlToDirectory",) if key in changed]
    old_identifier, new_identifier = old.get("clusterIdentifier"), new.get("clusterIdentifier")
    if old_identifier and new_identifier:
        if old_identifier != new_identifier:
            replaces.append("clusterIdentifier")
        return ConfigDiff(changed, replaces)
    unknown = [key for key in _CLUSTER_INPUTS if isinstance(new.get(key), Unknown)]
    if unknown:
        return ConfigDiff(changed, replaces + unknown)
    touched = [key for key in _CLUSTER_INPUTS if key in changed]
    if touched and _cluster(old) != _cluster(new):
        replaces += touched
    return ConfigDiff(changed, replaces)


def _cluster(inputs: dict[str, Any]) -> dict[str, Any] | None:
    kubeconfig, context, cluster = (inputs.get(key) for key in _CLUSTER_INPUTS)
    if any(isinstance(value, Unknown) for value in (kubeconfig, context, cluster)):
        return None
    return active_cluster(kubeconfig, context, cluster)
