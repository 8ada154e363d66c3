"""What the program tells the engine for an update, and what the person gets to see of it."""

import logging
from typing import Any

import pulumi
import pytest

from components import dynamo_graph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.stacks.changed_settings import AGGREGATED, SECOND_NODE, Change, changed, override
from tests.stacks.updates.changes import PlannedChange, alpha_state, state, update
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings

ONE_NAME: Change = {"serving.name": "model"}
IN_PLACE = (None, None)
AFTER_THE_OLD_ONE = (True, None)
UNDER_ITS_NAME = (True, ["spec"])


def _options(monkeypatch: pytest.MonkeyPatch, change: PlannedChange) -> pulumi.ResourceOptions:
    """Those of the graph."""
    seen: list[pulumi.ResourceOptions] = []

    class Watched(dynamo_graph.CustomResource):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            seen.append(named["opts"])
            super().__init__(*arguments, **named)

    monkeypatch.setattr(dynamo_graph, "CustomResource", Watched)
    _register(change)
    [options] = seen
    return options


def _register(change: PlannedChange) -> None:
    record(lambda: deploy(change.stack, None, change.update), project="dynamo-stack", stack="dev")


@pytest.mark.parametrize(
    ("before", "after", "expected", "is_the_old_one"),
    [
        pytest.param({}, override("decode", max_batch_size=9), IN_PLACE, False, id="an option"),
        pytest.param({}, AGGREGATED, AFTER_THE_OLD_ONE, True, id="another graph without room beside it"),
        pytest.param(
            SECOND_NODE, SECOND_NODE | AGGREGATED, IN_PLACE, False, id="another graph with room beside it"
        ),
        pytest.param(ONE_NAME, ONE_NAME | AGGREGATED, UNDER_ITS_NAME, False, id="other services, one name"),
    ],
)
def test_the_engine_is_told_what_becomes_of_the_graph_that_runs(
    monkeypatch: pytest.MonkeyPatch,
    before: Change,
    after: Change,
    expected: tuple[bool | None, list[str] | None],
    is_the_old_one: bool,
) -> None:
    old = state(changed(disagg_b200_settings(), before))
    [running] = old.graphs
    options = _options(monkeypatch, update(old, changed(disagg_b200_settings(), after)))
    assert (options.delete_before_replace, options.replace_on_changes) == expected
    assert (running.urn in options.aliases) is is_the_old_one


def test_the_engine_takes_a_v1alpha1_graph_for_the_one_that_takes_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = disagg_b200_settings()
    options = _options(monkeypatch, update(alpha_state(settings), settings))
    assert (options.delete_before_replace, options.replace_on_changes) == UNDER_ITS_NAME
    # Else it would be to the engine one graph more, and the new one made while the old one is there.
    [alias] = options.aliases
    assert alias.type_ == "kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment"


def test_every_notice_is_logged_and_interruptions_as_warnings(caplog: pytest.LogCaptureFixture) -> None:
    before = agg_gb200_settings()
    with caplog.at_level(logging.INFO):
        _register(update(before, changed(before, override("worker", max_batch_size=9))))
    said = [entry for entry in caplog.records if "every worker restarts" in entry.getMessage()]
    assert [entry.levelno for entry in said] == [logging.WARNING]
