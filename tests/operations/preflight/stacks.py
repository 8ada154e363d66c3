"""Stacks to ask about, and what is seen of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cli.command import squeezed
from tests.support.eks_settings import eks_b200_settings

if TYPE_CHECKING:
    from tests.cli.command import Answer

WEEK = 7 * 24


def b200_settings() -> dict[str, Any]:
    """One B200 node where the simulated region offers the type."""
    settings = eks_b200_settings()
    settings["cluster"]["publicCidrs"] = ["203.0.113.9/32"]
    return settings


def in_a_block(starts: str, phase: str = "active") -> dict[str, Any]:
    """The same in a Capacity Block that starts then."""
    settings = b200_settings()
    settings["nodePools"][0]["purchase"] |= {"starts": starts, "phase": phase}
    return settings


def by_the_hour() -> dict[str, Any]:
    """The same, paid by the hour."""
    settings = b200_settings()
    settings["nodePools"][0]["purchase"] = {"kind": "onDemand"}
    return settings


def seen(answer: Answer) -> str:
    """What was printed, without the breaks that make columns."""
    assert answer.err == ""
    return squeezed(answer.out)
