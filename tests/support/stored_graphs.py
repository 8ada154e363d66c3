"""Graphs as they are stored: this version is read also while no conversion webhook answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

STORED = "dynamographdeployments.v1alpha1.nvidia.com"


def replicas_of(lab: Sandbox, service: str, graph: str, namespace: str) -> int:
    """How many pods of the service the graph asks for."""
    replicas: int = lab.get(STORED, graph, "-n", namespace)["spec"]["services"][service]["replicas"]
    return replicas
