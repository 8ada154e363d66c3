"""From one API version of the graph to the other, and from a v1alpha1 graph as it was written at first."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.updates.graph import Graph, read_graph
from tests.stacks.updates.changes import changed, override, update
from tests.stacks.updates.graphs_of_before import as_written_at_first, at_version, spec_of
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings


def _graph(spec: dict[str, Any]) -> Graph:
    return read_graph("graph", "models", spec)


@pytest.mark.parametrize("settings", [disagg_b200_settings, disagg_gb200_settings, agg_gb200_settings])
def test_both_versions_are_read_as_the_same_pods(settings: Any) -> None:
    alpha, beta = (_graph(spec_of(at_version(version, settings()))) for version in ("v1alpha1", "v1beta1"))
    assert {name: service.template for name, service in alpha.services.items()} == {
        name: service.template for name, service in beta.services.items()
    }


@pytest.mark.parametrize(("before", "now"), [("v1alpha1", "v1beta1"), ("v1beta1", "v1alpha1")])
def test_another_api_version_restarts_every_worker_once_and_no_frontend(before: str, now: str) -> None:
    change = update(at_version(before, disagg_b200_settings()), at_version(now, disagg_b200_settings()))
    assert change.update.replacement is None
    assert change.text == (
        "every worker restarts: 1 x TrtllmPrefillWorker, 1 x TrtllmDecodeWorker "
        f"(changed: graph API {before} -> {now})\n"
        "  interruption: nothing serves until the new worker has loaded 65.2 GB, about 31 min at 36 MB/s\n"
        "  TrtllmPrefillWorker: RollingUpdate (pool b200 has 1 GPU free on one node for the new worker)\n"
        "  TrtllmDecodeWorker: Recreate (pool b200 has no 4 GPUs free on one node to start a new worker "
        "beside the old)\n"
        "  Frontend: not touched"
    )
    assert change.update.notices[0].warns


def test_a_graph_as_it_was_written_at_first_becomes_v1beta1_in_one_update() -> None:
    change = update(as_written_at_first(disagg_b200_settings()), disagg_b200_settings())
    assert change.update.replacement is None
    assert "(changed: graph API v1alpha1 -> v1beta1, rollout, model cache)\n" in change.text
    assert change.text.endswith("Frontend: not touched")


def test_a_v1alpha1_graph_that_stays_one_is_corrected_by_an_update_that_restarts_every_worker() -> None:
    before = as_written_at_first(agg_gb200_settings())
    change = update(before, at_version("v1alpha1", agg_gb200_settings()))
    assert "every worker restarts: 1 x TrtllmWorker (changed: rollout, model cache)\n" in change.text
    assert change.text.endswith("Frontend: not touched")


def test_what_else_changes_with_the_api_version_is_named_too() -> None:
    after = changed(disagg_b200_settings(), override("decode", max_batch_size=512))
    change = update(at_version("v1alpha1", disagg_b200_settings()), after)
    assert "(changed: graph API v1alpha1 -> v1beta1, engine files)" in change.text


def test_any_annotation_of_a_v1alpha1_worker_is_another_generation_and_one_of_a_frontend_is_not() -> None:
    def with_annotation(name: str) -> Graph:
        spec = spec_of(at_version("v1alpha1", disagg_b200_settings()))
        spec["services"][name]["annotations"] = {"foo": "bar"}
        return _graph(spec)

    as_it_is = _graph(spec_of(at_version("v1alpha1", disagg_b200_settings())))
    assert not as_it_is.makes_same_workers(with_annotation("TrtllmDecodeWorker"))
    assert as_it_is.makes_same_workers(with_annotation("Frontend"))
