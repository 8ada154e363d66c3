"""Statuses in both versions: services against components, and who is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def components_status(status: Manifest) -> Manifest:
    """A graph's status as v1beta1 has it."""
    result = {key: value for key, value in status.items() if key not in {"services", "rollingUpdate"}}
    if "services" in status:
        result["components"] = {name: of_component(each) for name, each in status["services"].items()}
    if "rollingUpdate" in status:
        rolling = dict(status["rollingUpdate"])
        if "updatedServices" in rolling:
            rolling["updatedComponents"] = rolling.pop("updatedServices")
        result["rollingUpdate"] = rolling
    return result


def services_status(status: Manifest) -> Manifest:
    """A graph's status as v1alpha1 has it."""
    result = {key: value for key, value in status.items() if key not in {"components", "rollingUpdate"}}
    if "components" in status:
        result["services"] = {name: of_service(each) for name, each in status["components"].items()}
    if "rollingUpdate" in status:
        rolling = dict(status["rollingUpdate"])
        if "updatedComponents" in rolling:
            rolling["updatedServices"] = rolling.pop("updatedComponents")
        result["rollingUpdate"] = rolling
    return result


def of_component(counts: Manifest) -> Manifest:
    """v1beta1 has no componentName beside the list of names."""
    result = {key: value for key, value in counts.items() if key != "componentName"}
    if not result.get("componentNames") and counts.get("componentName"):
        result["componentNames"] = [counts["componentName"]]
    return result


def of_service(counts: Manifest) -> Manifest:
    """v1alpha1 names the last of them once more."""
    names: list[str] = counts.get("componentNames") or []
    return counts | ({"componentName": names[-1]} if names else {})
