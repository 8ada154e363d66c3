"""Labels alone restart no worker: pods that run without them get them with a change that restarts them."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from resource_graph.recorder import record
from stacks.plan.stack_plan import StackPlan
from stacks.program.deploy_stack import deploy
from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import Deployed, deployed
from tests.stacks.updates.changes import Settings, changed, override, replicas, state_after, update
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.shipped_stacks import served_settings

LABEL = "app.kubernetes.io/part-of"


def _unlabelled(stack: StackPlan) -> StackPlan:
    placed = replace(stack.serving.placed, instance=None)
    return replace(stack, serving=replace(stack.serving, placed=placed))


def _from_before(settings: Settings) -> Deployed:
    """What the state has of a graph that was written before there were labels."""
    graph = record(lambda: deploy(_unlabelled(resolved(settings))), project="dynamo-stack", stack="recorded")
    resources = {resource.urn: {"__inputs": dict(resource.inputs)} for resource in graph}
    return deployed(json.loads(json.dumps(resources, default=str), parse_int=float))


def _labelled(stack: StackPlan) -> set[str]:
    services = graph_of(stack).services.values()
    return {service.name for service in services if LABEL in str(service.template)}


@pytest.mark.parametrize("settings", [disagg_b200_settings, lambda: served_settings("latency-b200")])
def test_a_graph_of_before_stays_as_it_is_while_nothing_else_changes(settings: Callable[[], Any]) -> None:
    change = update(_from_before(settings()), settings())
    assert _labelled(change.stack) == set()
    assert change.texts == []


def test_another_number_of_workers_labels_none_of_them() -> None:
    change = update(
        _from_before(disagg_b200_settings()), changed(disagg_b200_settings(), replicas(prefill=2))
    )
    assert "no worker restarts" in change.text
    assert _labelled(change.stack) == set()


def test_a_change_that_restarts_every_worker_labels_all_pods_in_one_go() -> None:
    wanted = changed(disagg_b200_settings(), override("decode", max_batch_size=64))
    first = update(_from_before(disagg_b200_settings()), wanted)
    assert "every worker restarts" in first.text
    assert "labels" in first.text
    assert _labelled(first.stack) == {"Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker"}
    then = update(state_after(first), wanted)
    assert then.texts == []
    assert _labelled(then.stack) == _labelled(first.stack)


def test_a_new_graph_has_them_from_the_start() -> None:
    assert _labelled(resolved(disagg_b200_settings())) == {
        "Frontend",
        "TrtllmPrefillWorker",
        "TrtllmDecodeWorker",
    }
