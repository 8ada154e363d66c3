"""What was said of a change against what the engine previews, and against what happens."""

from dataclasses import fields
from pathlib import Path
from pprint import pformat

from comparison.stack_comparison import StackComparison
from tests.comparison.applied.deployed import Applied, Deployed
from tests.comparison.applied.outcome import Outcome, nothing, predicted
from tests.comparison.changed_stacks import Case, all_cases, seen

PREVIEWED = {
    "dev": {
        "comment-only",
        "context",
        "exposure",
        "graph-name",
        "kv-transport",
        "lifecycle",
        "nats-kind",
        "secret",
        "secret-added",
    },
    "disagg-gb200-two-trays": {"nodes-of-a-bought-pool"},
    "disagg-b200": {"cache-kind", "chart-values", "tags-only", "zone-of-a-pool"},
}
"""Stack -> the fewest cases in which the engine meets every operation on every type that any case has.

A preview costs seconds, and a second case of the same operation on the same type says little that is new. All
cases are compared without an engine in tests/comparison/test_changed_stacks.py.
"""
IN_AN_ACCOUNT = "purchase-phase"
"""Applied by tests/node_groups/test_capacity_block_window.py, whose clock leads an account up to it."""


def cases_of(stack: str) -> list[Case]:
    """The cases of a stack that is deployed as it is shipped."""
    return [case for case in all_cases() if case.stack == stack and case.name != IN_AN_ACCOUNT]


def previewed_cases(stack: str) -> list[Case]:
    """Those of PREVIEWED; cases with the same older side follow each other, so that it is deployed once."""
    cases = [case for case in cases_of(stack) if case.name in PREVIEWED[stack]]
    return sorted(cases, key=lambda case: (str(case.before), case.name))


def assert_that_the_engine_says_so_too(case: Case, deployed: Deployed, folder: Path) -> None:
    """The engine's preview of the newer side over the older one, which runs, is what the comparison said."""
    said = deployed.compared(case, folder)
    operations, errors = deployed.previewed()
    refused, text = seen(said).get("refused", []), " ".join(errors)
    assert bool(errors) is bool(refused), text
    assert [setting for setting in refused if setting not in text] == []
    if not refused:
        assert operations == predicted(said).operations


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
