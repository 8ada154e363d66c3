"""What was said of a change against what the engine previews, and against what happens."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pprint import pformat
from typing import TYPE_CHECKING

from tests.comparison.applied.outcome import Outcome, nothing, predicted
from tests.comparison.changed_stacks import all_cases, seen

if TYPE_CHECKING:
    from pathlib import Path

    from comparison.stack_comparison import StackComparison
    from tests.comparison.applied.deployed import Applied, Deployed
    from tests.comparison.changed_stacks import Case

_STACKS = ("dev", "disagg-gb200-two-trays", "disagg-b200")
"""The cheapest to preview first."""
IN_AN_ACCOUNT = "purchase-phase"
"""Applied by tests/node_groups/test_capacity_block_window.py, whose clock leads an account up to it."""


def cases_of(stack: str) -> list[Case]:
    """The cases of a stack that is deployed as it is shipped."""
    return [case for case in all_cases() if case.stack == stack and case.name != IN_AN_ACCOUNT]


@cache
def previewed_cases() -> list[Case]:
    """About the fewest cases in which the engine meets every operation on every type that any case has.

    A preview costs seconds, and a second case of the same operation on the same type says little that is new.
    All cases are compared without an engine in tests/comparison/test_changed_stacks.py.
    """
    chosen: list[Case] = []
    met: set[str] = set()
    for stack in _STACKS:
        cases = cases_of(stack)
        while best := max(cases, key=lambda case: len(_operations(case) - met), default=None):
            if _operations(best) <= met:
                break
            met |= _operations(best)
            chosen.append(best)
    # Those with the same older side follow each other, so that it is deployed once.
    return sorted(chosen, key=lambda case: (str(case.before), case.name))


def _operations(case: Case) -> set[str]:
    """Operation and type of each resource that the case touches; whether it is refused or touches nothing."""
    operations: dict[str, list[str]] = case.expect.get("operations", {})
    found = {f"{name} {title.split()[0]}" for name, titles in operations.items() for title in titles}
    return found | ({"refused"} if "refused" in case.expect else set()) or {"nothing"}


def assert_that_the_engine_says_so_too(case: Case, deployed: Deployed, folder: Path) -> None:
    """The engine's preview of the newer side over the older one, which runs, is what the comparison said."""
    said = deployed.compared(case, folder)
    previewed = deployed.previewed()
    refused, errors = seen(said).get("refused", []), " ".join(previewed.errors)
    assert bool(errors) is bool(refused), errors
    assert [setting for setting in refused if setting not in errors] == []
    if not refused:
        assert previewed.operations == predicted(said).operations


def assert_that_it_happens(case: Case, deployed: Deployed, folder: Path) -> None:
    """Compare both sides, apply the newer one on the older one, and compare again: said and seen."""
    said = deployed.compared(case, folder)
    assert_that_it_was_said(said, deployed.apply(case))


def assert_that_it_was_said(said: StackComparison, applied: Applied) -> None:
    """Engine, API server and pods did what the comparison said, and nothing else."""
    refused = seen(said).get("refused", [])
    assert applied.is_refused is bool(refused), applied.said
    assert [setting for setting in refused if setting not in applied.said] == []
    expected = nothing(applied.outcome.used_gpus[0]) if refused else predicted(said)
    differences = {
        field.name: {"said": getattr(expected, field.name), "seen": getattr(applied.outcome, field.name)}
        for field in fields(Outcome)
        if getattr(expected, field.name) != getattr(applied.outcome, field.name)
    }
    assert not differences, pformat(differences)
