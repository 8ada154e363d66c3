"""Which nodes a graph waits for, and what is judged of a graph before it is there."""

import pytest

from lab.directory import REPOSITORY
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import waited_for, with_open_windows
from stacks.settings.load import load_stack
from tests.stacks.changed_settings import changed, phase
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack


@pytest.mark.parametrize("name", ["agg-gb200", "disagg-b200-tcp"])
def test_a_shipped_file_waits_for_the_window_of_a_block_that_somebody_has_still_to_buy(name: str) -> None:
    stack = resolve(name, load_stack(name, REPOSITORY), f"Pulumi.{name}.yaml")
    assert [nodes.pool for nodes in waited_for(stack)] == [placed.pool for placed in stack.pools]


def test_nodes_that_are_there_are_not_waited_for() -> None:
    existing = resolved(disagg_b200_settings())
    assert waited_for(resolved(eks_b200_settings())) == waited_for(existing) == ()
    assert with_open_windows(existing) == existing


def test_check_judges_the_graph_that_comes_with_the_window() -> None:
    waiting = resolved(changed(eks_b200_settings(), phase("waiting")))
    assert recorded_stack(waiting).kubernetes_objects("DynamoGraphDeployment") == ()
    opened = with_open_windows(waiting)
    assert opened == resolved(eks_b200_settings())
    assert len(recorded_stack(opened).kubernetes_objects("DynamoGraphDeployment")) == 1
