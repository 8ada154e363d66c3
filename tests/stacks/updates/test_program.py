"""What the program tells the engine for an update, and what the person gets to see of it."""

import logging
from typing import Any

import pytest

from components import dynamo_graph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.stacks.updates.changes import Change, changed, override, state, update
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings


def _aggregated(settings: dict[str, Any]) -> None:
    settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-agg"
    del settings["serving"]["kvTransport"]


def _options(change: Change, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The options with which the graph itself is registered."""
    seen: dict[str, Any] = {}
    registered = dynamo_graph.CustomResource

    class Watched(registered):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            seen["graph"] = named["opts"]
            super().__init__(*arguments, **named)

    monkeypatch.setattr(dynamo_graph, "CustomResource", Watched)
    record(lambda: deploy(change.stack, None, change.update), project="dynamo-stack", stack="dev")
    return seen["graph"]


def test_an_update_in_place_neither_deletes_first_nor_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    before = disagg_b200_settings()
    options = _options(update(before, changed(before, override("decode", max_batch_size=9))), monkeypatch)
    assert options.delete_before_replace is None
    assert options.replace_on_changes is None


def test_a_graph_without_room_beside_the_old_one_is_created_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = disagg_b200_settings()
    options = _options(update(before, changed(before, _aggregated)), monkeypatch)
    [running] = state(before).graphs
    assert running.urn in options.aliases
    assert options.delete_before_replace is True
    assert options.replace_on_changes is None


def test_a_graph_with_room_beside_the_old_one_is_a_resource_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = disagg_b200_settings()
    before["nodePools"][0]["nodes"] = 2
    options = _options(update(before, changed(before, _aggregated)), monkeypatch)
    [running] = state(before).graphs
    assert running.urn not in options.aliases
    assert options.delete_before_replace is None


@pytest.mark.parametrize(("before", "now"), [("v1alpha1", "v1beta1"), ("v1beta1", "v1alpha1")])
def test_a_graph_in_another_api_version_is_deleted_before_its_successor_is_made(
    monkeypatch: pytest.MonkeyPatch, before: str, now: str
) -> None:
    old, new = disagg_b200_settings(), disagg_b200_settings()
    old["platform"]["graphApi"], new["platform"]["graphApi"] = before, now
    options = _options(update(old, new), monkeypatch)
    [alias] = options.aliases
    assert alias.type_ == f"kubernetes:nvidia.com/{before}:DynamoGraphDeployment"
    assert options.delete_before_replace is True
    assert options.replace_on_changes == ["spec"]


def test_other_services_under_the_same_name_are_another_graph_to_the_engine_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = disagg_b200_settings()
    before["serving"]["name"] = "model"
    options = _options(update(before, changed(before, _aggregated)), monkeypatch)
    assert options.delete_before_replace is True
    assert options.replace_on_changes == ["spec"]


def test_every_notice_is_logged_and_interruptions_as_warnings(caplog: pytest.LogCaptureFixture) -> None:
    before = agg_gb200_settings()
    change = update(before, changed(before, override("worker", max_batch_size=9)))
    with caplog.at_level(logging.INFO):
        record(lambda: deploy(change.stack, None, change.update), project="dynamo-stack", stack="dev")
    said = [entry for entry in caplog.records if "every worker restarts" in entry.getMessage()]
    assert [entry.levelno for entry in said] == [logging.WARNING]
