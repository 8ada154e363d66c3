"""Which nodes a graph waits for, and what is judged of a graph before it is there."""

from typing import Any

import pytest

from lab.directory import REPOSITORY
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan, waited_for, with_open_windows
from stacks.settings.load import load_stack
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack


def _waiting() -> StackPlan:
    settings: dict[str, Any] = eks_b200_settings()
    settings["nodePools"][0]["purchase"]["phase"] = "waiting"
    return resolved(settings)


@pytest.mark.parametrize("name", ["agg-gb200", "disagg-b200-tcp", "disagg-gb200-two-trays"])
def test_a_shipped_file_waits_for_the_window_of_a_block_that_somebody_has_still_to_buy(name: str) -> None:
    stack = resolve(name, load_stack(name, REPOSITORY), f"Pulumi.{name}.yaml")
    assert [nodes.pool for nodes in waited_for(stack)] == [placed.pool for placed in stack.pools]


def test_a_graph_waits_for_the_pool_that_it_is_placed_on() -> None:
    assert [nodes.pool.name for nodes in waited_for(_waiting())] == ["b200"]
    assert waited_for(resolved(eks_b200_settings())) == ()


def test_on_a_cluster_that_exists_nothing_is_waited_for() -> None:
    stack = resolved(disagg_b200_settings())
    assert waited_for(stack) == ()
    assert with_open_windows(stack) == stack


def test_check_judges_the_graph_that_comes_with_the_window() -> None:
    opened = with_open_windows(_waiting())
    assert opened == resolved(eks_b200_settings())
    assert recorded_stack(_waiting()).kubernetes_objects("DynamoGraphDeployment") == ()
    assert len(recorded_stack(opened).kubernetes_objects("DynamoGraphDeployment")) == 1
