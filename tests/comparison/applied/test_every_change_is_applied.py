"""No change that a test compares is left unapplied."""

from __future__ import annotations

from lab.directory import REPOSITORY
from tests.comparison.applied.judgement import ELSEWHERE, cases_of
from tests.comparison.changed_stacks import all_cases

STACKS = ("dev", "disagg-b200", "disagg-gb200")


def test_every_case_is_applied_on_its_stack_or_in_the_test_that_is_named() -> None:
    applied = {case.name for stack in STACKS for case in cases_of(stack)}
    assert applied | ELSEWHERE.keys() == {case.name for case in all_cases()}
    assert applied.isdisjoint(ELSEWHERE)
    for file in ELSEWHERE.values():
        assert "assert_that_it_was_said" in (REPOSITORY / file).read_text(encoding="utf-8")
