"""Inputs of the SDK's kinds in the spelling that the API server stores.

Without this a program that writes `cpu: 1000m` or `stringData` would show a difference for ever.
Custom resources and inputs with unknowns are left as they are, as the vendor's plugin does.
"""

from __future__ import annotations

import base64
import binascii
import copy
from typing import Any

from lab.kubernetes_provider import quantity
from lab.kubernetes_provider.kinds import is_known_group_version
from lab.kubernetes_provider.values import contains_unknown

_SERVER_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)
# Maps whose every value is a quantity, and single quantities, by the key that holds them.
_QUANTITY_MAPS = frozenset(
    {
        "limits",
        "requests",
        "capacity",
        "hard",
        "overhead",
        "default",
        "defaultRequest",
        "max",
        "min",
        "allocatable",
    }
)
_QUANTITY_FIELDS = frozenset({"sizeLimit", "divisor", "averageValue"})
_POD_PARENTS = frozenset(
    {
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "ReplicaSet",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
    }
)
_QUANTITY_KINDS = _POD_PARENTS | frozenset(
    {
        "PersistentVolumeClaim",
        "PersistentVolume",
        "ResourceQuota",
        "LimitRange",
        "HorizontalPodAutoscaler",
        "Node",
    }
)


def normalised(inputs: dict[str, Any]) -> dict[str, Any]:
    """A copy of the inputs in the API server's spelling."""
    result = copy.deepcopy(inputs)
    if is_typed(result) and not contains_unknown(result):
        _normalise_typed(result)
    metadata = result.get("metadata")
    if isinstance(metadata, dict):
        for key in _SERVER_METADATA:
            metadata.pop(key, None)
    return result


def is_typed(manifest: dict[str, Any]) -> bool:
    """Whether the object is of a group and version that the SDK knows (not a custom resource)."""
    api_version = manifest.get("apiVersion")
    return isinstance(api_version, str) and is_known_group_version(api_version)


def _normalise_typed(manifest: dict[str, Any]) -> None:
    kind = manifest.get("kind")
    if kind == "Secret":
        _normalise_secret(manifest)
    elif kind == "CustomResourceDefinition":
        manifest.pop("status", None)
        if (manifest.get("spec") or {}).get("preserveUnknownFields") is False:
            del manifest["spec"]["preserveUnknownFields"]
    elif kind in _QUANTITY_KINDS:
        _normalise_quantities(manifest.get("spec"))


def _normalise_secret(manifest: dict[str, Any]) -> None:
    data = {key: _reencoded(value) for key, value in (manifest.get("data") or {}).items()}
    # The API server folds stringData into data, and it wins over data.
    for key, value in (manifest.pop("stringData", None) or {}).items():
        data[key] = base64.b64encode(str(value).encode()).decode()
    if data:
        manifest["data"] = data


def _reencoded(value: Any) -> Any:
    try:
        return base64.b64encode(base64.b64decode(value, validate=False)).decode()
    except (binascii.Error, TypeError, ValueError):
        return value


def _normalise_quantities(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _normalise_quantities(item)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in _QUANTITY_FIELDS:
            value[key] = _quantity(inner)
        elif key in _QUANTITY_MAPS and isinstance(inner, dict):
            value[key] = {name: _quantity(amount) for name, amount in inner.items()}
        else:
            _normalise_quantities(inner)


def _quantity(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    return quantity.canonical(str(value))
