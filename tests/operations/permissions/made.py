"""The policies of a stack with any settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operations.permissions.policy import policies
from operations.permissions.right import Holder
from stacks.plan.stack_plan import in_phase
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from operations.permissions.policy import Policy, Statement
    from resource_graph import ResourceGraph


def recordings(settings: dict[str, Any]) -> list[ResourceGraph]:
    """The stack before and after the windows of its Capacity Blocks have opened."""
    stack = resolved(settings)
    return [recorded_stack(in_phase(stack, phase)) for phase in ("waiting", "active")]


def made(settings: dict[str, Any], holder: Holder = Holder.DEPLOYER) -> tuple[Policy, ...]:
    """The documents."""
    plan = resolved(settings).infrastructure
    assert plan is not None
    return policies(plan, recordings(settings), holder)


def statements(settings: dict[str, Any], holder: Holder = Holder.DEPLOYER) -> dict[str, Statement]:
    """The statements of all documents by their ids."""
    return {each["Sid"]: each for policy in made(settings, holder) for each in policy["Statement"]}


def actions(settings: dict[str, Any], holder: Holder = Holder.DEPLOYER) -> set[str]:
    """All that is allowed on anything."""
    return {action for each in statements(settings, holder).values() for action in each["Action"]}
