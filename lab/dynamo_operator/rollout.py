"""Rolling updates: within a Deployment by Kubernetes, between generations of workers by the operator.

ai-dynamo/dynamo#4990 (the annotations), #6110 (generations of workers). There is no timeout and no rollback.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest

STRATEGY = "nvidia.com/deployment-strategy"
MAX_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
MAX_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
_DEFAULT = "25%"


@dataclass(frozen=True)
class Generation:
    """One generation's Deployment as it is now; `existing` counts the pods that still hold their GPUs."""

    name: str
    wanted: int
    existing: int
    available: int


@dataclass(frozen=True)
class Step:
    """How many replicas each generation gets now, and which Deployments have done their part."""

    new_replicas: int
    old_replicas: dict[str, int]
    finished: tuple[str, ...]


def deployment_strategy(annotations: dict[str, str], replicas: int) -> Manifest:
    """The strategy inside one Deployment."""
    if annotations.get(STRATEGY) == "Recreate":
        return {"type": "Recreate"}
    surge, unavailable = (annotations.get(key, _DEFAULT) for key in (MAX_SURGE, MAX_UNAVAILABLE))
    if limits(annotations, replicas) == (1, 0) and _count(surge, replicas, up=True) == 0:
        surge = "1"
    return {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": _number(surge), "maxUnavailable": _number(unavailable)},
    }


def limits(annotations: dict[str, str], replicas: int) -> tuple[int, int]:
    """How many pods may be there above the wanted number, and how many may be missing, in pods."""
    surge = _count(annotations.get(MAX_SURGE, _DEFAULT), replicas, up=True)
    unavailable = _count(annotations.get(MAX_UNAVAILABLE, _DEFAULT), replicas, up=False)
    # With neither, nothing could ever move.
    return (surge, unavailable) if surge or unavailable else (1, 0)


def next_step(
    annotations: dict[str, str], replicas: int, new: Generation | None, old: list[Generation]
) -> Step:
    """One step of a service from its old generations to the new one.

    The Recreate strategy does not reach across generations before 1.4 (ai-dynamo/dynamo#11909).
    """
    if not old:
        return Step(replicas, {}, ())
    surge, unavailable = limits(annotations, replicas)
    existing = sum(generation.existing for generation in old)
    started = new.wanted if new else 0
    new_replicas = max(min(started, replicas), min(replicas, replicas + surge - existing))
    spare = max(0, replicas - unavailable - (new.available if new else 0))
    old_replicas: dict[str, int] = {}
    for generation in sorted(old, key=lambda each: each.name):
        old_replicas[generation.name] = min(generation.wanted, spare)
        spare -= old_replicas[generation.name]
    finished = tuple(
        generation.name
        for generation in old
        if generation.existing == 0 and old_replicas[generation.name] == 0 and generation.wanted == 0
    )
    return Step(new_replicas, old_replicas, finished)


def _count(limit: str, replicas: int, *, up: bool) -> int:
    if not limit.endswith("%"):
        return int(limit)
    share = int(limit[:-1]) * replicas / 100
    return math.ceil(share) if up else math.floor(share)


def _number(limit: str) -> int | str:
    return limit if limit.endswith("%") else int(limit)
