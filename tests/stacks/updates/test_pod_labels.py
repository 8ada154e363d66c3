"""Labels alone restart no worker: pods that run without them get them with a change that restarts them."""

from dataclasses import replace

import pytest

from stacks.plan.stack_plan import StackPlan
from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import Deployed
from stacks.updates.planned_update import FIRST
from tests.stacks.changed_settings import Settings, changed, override, replicas
from tests.stacks.updates.changes import PlannedChange, state_after, update
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.shipped_stacks import served_settings

ALL = {"Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker"}


def _from_before(settings: Settings) -> Deployed:
    """What the state has of a graph that was written before there were labels."""
    stack = resolved(settings)
    placed = replace(stack.serving.placed, instance=None)
    return state_after(PlannedChange(replace(stack, serving=replace(stack.serving, placed=placed)), FIRST))


def _labelled(stack: StackPlan) -> set[str]:
    services = graph_of(stack).services.values()
    return {service.name for service in services if "app.kubernetes.io/part-of" in str(service.template)}


@pytest.mark.parametrize("settings", [disagg_b200_settings(), served_settings("latency-b200")])
def test_a_graph_of_before_stays_as_it_is_while_nothing_else_changes(settings: Settings) -> None:
    change = update(_from_before(settings), settings)
    assert (_labelled(change.stack), change.texts) == (set(), [])


def test_another_number_of_workers_labels_none_of_them() -> None:
    before = disagg_b200_settings()
    change = update(_from_before(before), changed(before, replicas(prefill=2)))
    assert "no worker restarts" in change.text
    assert _labelled(change.stack) == set()


def test_a_change_that_restarts_every_worker_labels_all_pods_in_one_go() -> None:
    wanted = changed(disagg_b200_settings(), override("decode", max_batch_size=64))
    first = update(_from_before(disagg_b200_settings()), wanted)
    assert "every worker restarts" in first.text
    assert "labels" in first.text
    then = update(state_after(first), wanted)
    assert then.texts == []
    assert _labelled(first.stack) == _labelled(then.stack) == ALL
