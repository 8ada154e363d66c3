"""What was said of a change against what happened."""

from __future__ import annotations

from dataclasses import fields
from pprint import pformat
from typing import TYPE_CHECKING

from tests.comparison.applied.outcome import Outcome, nothing, predicted
from tests.comparison.applied.surroundings import SURROUNDINGS, nothing_else
from tests.comparison.changed_stacks import all_cases, seen

if TYPE_CHECKING:
    from pathlib import Path

    from comparison.stack_comparison import StackComparison
    from tests.comparison.applied.deployed import Applied, Deployed
    from tests.comparison.changed_stacks import Case

# A claim that has grown never shrinks again, and a smaller pool loses the node that EKS chooses: nothing can
# come after them.
_LAST = ("cache-larger", "nodes-of-a-bought-pool")


def cases_of(stack: str) -> list[Case]:
    """The cases of a stack, in an order in which each older side can be deployed after the case before."""
    found = [case for case in all_cases() if case.stack == stack and case.name not in ELSEWHERE]
    return sorted(found, key=lambda case: (case.name in _LAST, case.name))


def assert_that_it_happens(case: Case, deployed: Deployed, folder: Path) -> None:
    """Compare both sides, apply the newer one on the older one, and compare again: said and seen."""
    said = deployed.compared(case, folder)
    with SURROUNDINGS.get(case.name, nothing_else)(deployed, folder):
        applied = deployed.apply(case)
    assert_that_it_was_said(said, applied)


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


ELSEWHERE = {"purchase-phase": "tests/node_groups/test_capacity_block_window.py"}
"""Name of a case -> the test that applies this change, where an account has to be led up to it."""
