"""Inputs of the SDK's kinds in the spelling that the API server stores.

Without this a program that writes `cpu: 1000m` or `stringData` would show a difference for ever.
Custom resources and inputs with unknowns are left as they are, as the vendor's plugin does.
"""

from __future__ import annotations

import base64
import copy
import math
from typing import Any

from kubernetes.utils.quantity import parse_quantity

from lab.kubernetes_provider.kinds import is_known_group_version
from lab.kubernetes_provider.values import contains_unknown

# Maps whose every value is a quantity, and single quantities, by the key that holds them.
_QUANTITY_MAPS = frozenset(
    {
        *("limits", "requests", "capacity", "hard", "overhead", "default", "defaultRequest", "max", "min"),
        "allocatable",
    }
)
_QUANTITY_FIELDS = frozenset({"sizeLimit", "divisor", "averageValue"})
_QUANTITY_KINDS = frozenset(
    {
        *("Pod", "PodTemplate", "ReplicationController", "ReplicaSet", "Deployment", "StatefulSet"),
        *("DaemonSet", "Job", "CronJob", "PersistentVolumeClaim", "PersistentVolume", "ResourceQuota"),
        *("LimitRange", "HorizontalPodAutoscaler", "Node"),
    }
)

_KIBI = 1024
_BINARY = {"Ei": 6, "Pi": 5, "Ti": 4, "Gi": 3, "Mi": 2, "Ki": 1}
# In units of the smallest amount that there is.
_NANOS = {"E": 27, "P": 24, "T": 21, "G": 18, "M": 15, "k": 12, "": 9, "m": 6, "u": 3, "n": 0}


def normalised(inputs: dict[str, Any]) -> dict[str, Any]:
    """A copy of the inputs in the API server's spelling."""
    result = copy.deepcopy(inputs)
    if is_typed(result) and not contains_unknown(result):
        if result.get("kind") == "Secret":
            _normalise_secret(result)
        elif result.get("kind") in _QUANTITY_KINDS:
            _normalise_quantities(result.get("spec"))
    return result


def is_typed(manifest: dict[str, Any]) -> bool:
    """Whether the object is of a group and version that the SDK knows (not a custom resource)."""
    api_version = manifest.get("apiVersion")
    return isinstance(api_version, str) and is_known_group_version(api_version)


def canonical_quantity(text: str) -> str:
    """The canonical spelling; what is no quantity comes back unchanged.

    Source: k8s.io/apimachinery pkg/api/resource/quantity.go, CanonicalizeBytes.
    """
    try:
        value = parse_quantity(text)
    except ValueError:
        return text
    # A fraction, or less than one Ki, has no binary spelling.
    if text.endswith("i") and abs(value) >= _KIBI and value % 1 == 0:
        name, power = next(each for each in _BINARY.items() if value % _KIBI ** each[1] == 0)
        return f"{int(value / _KIBI**power)}{name}"
    nanos = math.ceil(value * 10**9)
    if nanos == 0:
        return "0"
    name, exponent = next(each for each in _NANOS.items() if nanos % 10 ** each[1] == 0)
    return f"{nanos // 10**exponent}{name}"


def _normalise_secret(manifest: dict[str, Any]) -> None:
    data = dict(manifest.get("data") or {})
    # The API server folds stringData into data, and it wins over data.
    for key, value in (manifest.pop("stringData", None) or {}).items():
        data[key] = base64.b64encode(str(value).encode()).decode()
    if data:
        manifest["data"] = data


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
    is_number = isinstance(value, str | int | float) and not isinstance(value, bool)
    return canonical_quantity(str(value)) if is_number else value
