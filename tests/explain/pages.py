"""Pages of stacks, each made once per test process."""

import dataclasses
import datetime as dt
from functools import cache

from explain.page import Page, build_page, to_html
from lab.directory import REPOSITORY
from resource_graph import ResourceGraph
from rules.catalogue import rules_on, run_rules
from rules.model import Report
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan, in_phase
from stacks.settings.load import list_stacks, load_stack
from tests.support.recordings import recorded_stack

DAY = dt.date(2026, 11, 22)
STACKS = tuple(list_stacks(REPOSITORY))
KINDS = ("dev", "disagg-gb200-two-trays", "disagg-b200-8gpu", "throughput-h200", "vllm-agg-b200")
"""A pool that idles, two trays, one pod with both roles, a server without Dynamo, vLLM."""


def shipped_plan(name: str) -> StackPlan:
    """The stack as its committed file has it: most of them wait for a Capacity Block."""
    return resolve(name, load_stack(name, REPOSITORY), f"Pulumi.{name}.yaml", REPOSITORY)


@dataclasses.dataclass
class Judged:
    """A stack with its resources and findings."""

    stack: StackPlan
    now: ResourceGraph
    later: ResourceGraph
    report: Report
    rules: int

    def page(self) -> Page:
        """Its page on the day of these tests."""
        return build_page(self.stack, self.now, self.later, self.report, rules=self.rules, today=DAY)


def judged(stack: StackPlan) -> Judged:
    """The stack with its resources and findings."""
    opened = in_phase(stack, "active")
    later = recorded_stack(opened)
    now = later if opened == stack else recorded_stack(stack)
    rules = rules_on(DAY)
    return Judged(stack, now, later, run_rules(later, rules, today=DAY), len(rules))


@cache
def shipped_page(name: str) -> Page:
    """The page of a shipped stack."""
    return judged(shipped_plan(name)).page()


@cache
def shipped_html(name: str) -> str:
    """The same as text."""
    return to_html(shipped_page(name))


def page_of(stack: StackPlan) -> Page:
    """The page of a stack that a test made."""
    return judged(stack).page()
