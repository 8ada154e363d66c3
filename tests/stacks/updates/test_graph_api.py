"""From one API version of the graph to the other, and from a v1alpha1 graph as it was written at first."""

from typing import Any

import pytest

from stacks.updates.comparable_graph import Graph, read_graph
from tests.stacks.changed_settings import changed
from tests.stacks.updates.changes import update
from tests.stacks.updates.graphs_of_before import ALPHA, BETA, as_written_at_first, spec_of
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings


def _graph(spec: dict[str, Any]) -> Graph:
    return read_graph("graph", "models", spec)


@pytest.mark.parametrize("settings", [disagg_gb200_settings(), agg_gb200_settings()])
def test_both_versions_are_read_as_the_same_pods(settings: Any) -> None:
    alpha, beta = (
        {name: service.template for name, service in _graph(spec_of(changed(settings, api))).services.items()}
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


def test_a_graph_as_it_was_written_at_first_becomes_v1beta1_in_one_update() -> None:
    change = update(as_written_at_first(disagg_b200_settings()), disagg_b200_settings())
    assert "cannot be changed from v1alpha1 to v1beta1" in change.text


def test_a_v1alpha1_graph_that_stays_one_is_corrected_by_an_update_that_restarts_every_worker() -> None:
    before = as_written_at_first(agg_gb200_settings())
    change = update(before, changed(agg_gb200_settings(), ALPHA))
    assert "every worker restarts: 1 x TrtllmWorker (changed: rollout, labels, model cache)\n" in change.text
    # It gets its labels in the same go.
    assert change.text.endswith("Frontend: restarts pod by pod")


@pytest.mark.parametrize(("service", "same"), [("TrtllmDecodeWorker", False), ("Frontend", True)])
def test_any_annotation_of_a_v1alpha1_worker_is_another_generation_and_one_of_a_frontend_is_not(
    service: str, same: bool
) -> None:
    spec = spec_of(changed(disagg_b200_settings(), ALPHA))
    annotated = changed(spec, {f"services.{service}.annotations": {"foo": "bar"}})
    assert _graph(spec).makes_same_workers(_graph(annotated)) is same
