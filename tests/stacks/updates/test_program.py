"""What the program tells the engine for an update, and what the person gets to see of it."""

import logging
from typing import Any

import pytest

from components import dynamo_graph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.stacks.changed_settings import AGGREGATED, SECOND_NODE, Change, changed, override
from tests.stacks.updates.changes import PlannedChange, state, update
from tests.stacks.updates.test_graph_api import ALPHA, BETA
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings

ONE_NAME: Change = {"serving.name": "model"}
IN_PLACE = (None, None)
AFTER_THE_OLD_ONE = (True, None)
UNDER_ITS_NAME = (True, ["spec"])


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
        pytest.param(ALPHA, BETA, UNDER_ITS_NAME, False, id="to v1beta1"),
        pytest.param(BETA, ALPHA, UNDER_ITS_NAME, False, id="back to v1alpha1"),
    ],
)
def test_the_engine_is_told_what_becomes_of_the_graph_that_runs(
    monkeypatch: pytest.MonkeyPatch,
    before: Change,
    after: Change,
    expected: tuple[bool | None, list[str] | None],
    is_the_old_one: bool,
) -> None:
    seen: dict[str, Any] = {}

    class Watched(dynamo_graph.CustomResource):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            seen["options"] = named["opts"]
            super().__init__(*arguments, **named)

    old = changed(disagg_b200_settings(), before)
    [running] = state(old).graphs
    monkeypatch.setattr(dynamo_graph, "CustomResource", Watched)
    _register(update(old, changed(disagg_b200_settings(), after)))
    options = seen["options"]
    assert (options.delete_before_replace, options.replace_on_changes) == expected
    assert (running.urn in options.aliases) is is_the_old_one
    # Else another API version would be to it one graph more, made while the other one is there.
    other = "v1beta1" if after == ALPHA else "v1alpha1"
    assert options.aliases[0].type_ == f"kubernetes:nvidia.com/{other}:DynamoGraphDeployment"


def test_every_notice_is_logged_and_interruptions_as_warnings(caplog: pytest.LogCaptureFixture) -> None:
    before = agg_gb200_settings()
    with caplog.at_level(logging.INFO):
        _register(update(before, changed(before, override("worker", max_batch_size=9))))
    said = [entry for entry in caplog.records if "every worker restarts" in entry.getMessage()]
    assert [entry.levelno for entry in said] == [logging.WARNING]
