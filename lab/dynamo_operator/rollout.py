"""Rolling updates: within a Deployment by Kubernetes, between generations of workers by the operator.

ai-dynamo/dynamo#4990 (the annotations), #6110 (generations of workers), #8823 (how many of each). There is no
timeout and no rollback, and kinds of worker roll independently of each other.
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
    """One generation's Deployment as it is now."""

    name: str
    wanted: int
    available: int
    created: str = ""
    """Its creationTimestamp."""


@dataclass(frozen=True)
class Step:
    """How many replicas each generation gets now."""

    new_replicas: int
    old_replicas: dict[str, int]


def deployment_strategy(annotations: dict[str, str]) -> Manifest:
    """The strategy inside one Deployment."""
    if annotations.get(STRATEGY) == "Recreate":
        return {"type": "Recreate"}
    surge, unavailable = (annotations.get(key) or _DEFAULT for key in (MAX_SURGE, MAX_UNAVAILABLE))
    return {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": _number(surge), "maxUnavailable": _number(unavailable)},
    }


def limits(annotations: dict[str, str], replicas: int) -> tuple[int, int]:
    """How many pods may be there above the wanted number, and how many may be missing, in pods."""
    surge = _count(annotations.get(MAX_SURGE) or _DEFAULT, replicas, up=True)
    unavailable = _count(annotations.get(MAX_UNAVAILABLE) or _DEFAULT, replicas, up=False)
    # With neither, nothing could ever move.
    return (surge, unavailable) if surge or unavailable else (1, 0)


def next_step(
    annotations: dict[str, str], replicas: int, new: Generation | None, old: list[Generation]
) -> Step:
    """One step of a service from its old generations to the new one.

    The Recreate strategy does not reach across generations before 1.4 (ai-dynamo/dynamo#11909): until then
    such a service rolls by the other two annotations, or by their defaults.
    """
    surge, unavailable = limits(annotations, replicas)
    least = replicas - unavailable
    wanted, available = (new.wanted, new.available) if new else (0, 0)
    old_wanted = sum(each.wanted for each in old)
    old_available = sum(each.available for each in old)
    # Asked for, not running: a pod that still stops holds its GPUs, and the scheduler lets the new one wait.
    room = max(0, replicas + surge - old_wanted - wanted)
    may_go = max(0, old_wanted + wanted - least - max(0, wanted - available))
    unhealthy = max(0, old_wanted - old_available)
    surplus = max(0, old_available + available - least)
    left = max(0, old_wanted - min(may_go, unhealthy + surplus))
    return Step(min(replicas, wanted + room), _newest_first(old, left))


def _newest_first(old: list[Generation], left: int) -> dict[str, int]:
    """Who keeps what is left; not who serves, which is a fault of the 1.2 line (ai-dynamo/dynamo#10184)."""
    kept: dict[str, int] = {}
    for generation in sorted(old, key=lambda each: (each.created, each.name), reverse=True):
        kept[generation.name] = min(generation.wanted, left)
        left -= kept[generation.name]
    return kept


def _count(limit: str, replicas: int, *, up: bool) -> int:
    if not limit.endswith("%"):
        return int(limit)
    share = int(limit[:-1]) * replicas / 100
    return math.ceil(share) if up else math.floor(share)


def _number(limit: str) -> int | str:
    return limit if limit.endswith("%") else int(limit)
