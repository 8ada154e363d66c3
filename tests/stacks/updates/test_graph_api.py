"""From one API version of the graph to the other."""

from typing import Any

import pytest

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from stacks.updates.comparable_graph import Graph, read_graph
from tests.stacks.changed_settings import Change, changed
from tests.stacks.updates.changes import update
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)

ALPHA: Change = {"platform.graphApi": "v1alpha1"}
BETA: Change = {"platform.graphApi": "v1beta1"}


def _spec_of(settings: dict[str, Any]) -> dict[str, Any]:
    stack = resolved(settings)
    placed = stack.serving.placed
    return graph_spec(placed, engine_files(placed).name, stack.graph_api)


def _graph(spec: dict[str, Any]) -> Graph:
    return read_graph("graph", "models", spec)


@pytest.mark.parametrize("settings", [disagg_gb200_settings(), agg_gb200_settings()])
def test_both_versions_are_read_as_the_same_pods(settings: Any) -> None:
    alpha, beta = (
        {
            name: service.template
            for name, service in _graph(_spec_of(changed(settings, api))).services.items()
        }
        for api in (ALPHA, BETA)
    )
    assert alpha == beta


@pytest.mark.parametrize(("before", "now"), [("v1alpha1", "v1beta1"), ("v1beta1", "v1alpha1")])
def test_another_api_version_is_another_graph_under_the_same_name(before: str, now: str) -> None:
    """The API server refuses to apply one version over the fields that were applied at the other."""
    old, new = (changed(disagg_b200_settings(), {"platform.graphApi": api}) for api in (before, now))
    change = update(old, new)
    assert change.update.replacement is not None
    assert change.update.replacement.in_place
    assert change.text == (
        "another graph: gpt-oss-disagg is deleted, then gpt-oss-disagg is created: "
        f"it cannot be changed from {before} to {now}; platform.graphApi: {before} keeps it\n"
        "  interruption: nothing serves from the moment the old graph ends until the new one has loaded "
        "65.2 GB, about 31 min at 36 MB/s"
    )
    assert change.update.notices[0].warns


@pytest.mark.parametrize(("service", "same"), [("TrtllmDecodeWorker", False), ("Frontend", True)])
def test_any_annotation_of_a_v1alpha1_worker_is_another_generation_and_one_of_a_frontend_is_not(
    service: str, same: bool
) -> None:
    spec = _spec_of(changed(disagg_b200_settings(), ALPHA))
    annotated = changed(spec, {f"services.{service}.annotations": {"foo": "bar"}})
    assert _graph(spec).makes_same_workers(_graph(annotated)) is same
