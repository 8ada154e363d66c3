"""Pages of stacks, each made once per test process."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import TYPE_CHECKING

from explain.build import Judged, build_page
from explain.html import to_html
from lab.directory import REPOSITORY
from rules.catalogue import rules_on, run_rules
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import with_open_windows
from stacks.settings.load import list_stacks, load_stack
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from explain.page import Page
    from stacks.plan.stack_plan import StackPlan

DAY = dt.date(2026, 11, 22)
STACKS = tuple(list_stacks(REPOSITORY))


def shipped_plan(name: str) -> StackPlan:
    """The stack as its committed file has it: most of them wait for a Capacity Block."""
    return resolve(name, load_stack(name, REPOSITORY), f"Pulumi.{name}.yaml", REPOSITORY)


def judged(stack: StackPlan) -> Judged:
    """The stack with its resources and findings."""
    opened = with_open_windows(stack)
    later = recorded_stack(opened)
    now = later if opened == stack else recorded_stack(stack)
    rules = rules_on(DAY)
    return Judged(stack, now, later, run_rules(later, rules, today=DAY), len(rules))


@cache
def shipped_page(name: str) -> Page:
    """The page of a shipped stack."""
    return build_page(judged(shipped_plan(name)), DAY)


@cache
def shipped_html(name: str) -> str:
    """The same as text."""
    return to_html(shipped_page(name))


def page_of(stack: StackPlan) -> Page:
    """The page of a stack that a test made."""
    return build_page(judged(stack), DAY)
