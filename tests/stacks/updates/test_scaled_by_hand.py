"""Replicas that somebody else has set are said before they are set back."""

from dataclasses import replace
from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from stacks.updates.beside_what_runs import beside_what_runs
from stacks.updates.comparable_graph import graph_of
from stacks.updates.guards.cluster_identity import cluster_of_state
from stacks.updates.planned_update import scaled_notices
from stacks.updates.running import Running, running_of
from tests.stacks.changed_settings import AGGREGATED, changed, replicas
from tests.stacks.updates.changes import state
from tests.support.clusters import SILENT, Told
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.shipped_stacks import served_settings

NAMES = ("Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker")
SETTINGS = disagg_b200_settings()
TYPED = changed(SETTINGS, replicas(frontend=2))


def _live(frontends: int) -> dict[str, Any]:
    """The graph as the API server has it."""
    components = [{"name": name, "replicas": frontends if name == "Frontend" else 1} for name in NAMES]
    return {"metadata": {"name": "gpt-oss-disagg"}, "spec": {"components": components}}


def _said(
    live: dict[str, Any] | None, after: dict[str, Any] = SETTINGS, before: dict[str, Any] = SETTINGS
) -> str:
    cluster = Told({"dynamographdeployments": [live] if live else SILENT})
    running = state(before)
    notices = scaled_notices(*beside_what_runs(resolved(after), running), running, cluster)
    return "\n".join(notice.text for notice in notices)


def test_a_hand_scaled_frontend_is_said_with_what_keeps_it() -> None:
    assert _said(_live(2)) == (
        "Frontend of graph gpt-oss-disagg has 2 replicas in the cluster, not set by this stack, which says "
        "1\n  the next update of it sets 1 back, or ends at a conflict with an autoscaler; "
        "serving.replicas.frontend: 2 keeps them (docs/runbook/drift.md)"
    )


def test_a_graph_scaled_to_zero_cannot_be_kept_by_a_setting() -> None:
    said = _said(_live(0))
    assert "has 0 replicas" in said
    assert "keeps them" not in said


@pytest.mark.parametrize(
    ("live", "after"),
    [
        pytest.param(_live(2), TYPED, id="the hand's number in the settings"),
        pytest.param(_live(1), TYPED, id="the number of the state"),
        pytest.param(_live(2), changed(SETTINGS, AGGREGATED), id="another graph in its place"),
        pytest.param(None, SETTINGS, id="a cluster that cannot be read"),
    ],
)
def test_what_no_hand_has_changed_or_nobody_can_see_is_not_said(
    live: dict[str, Any] | None, after: dict[str, Any]
) -> None:
    assert _said(live, after) == ""


def test_before_its_first_up_nothing_is_asked() -> None:
    cluster = Told({})
    stack, running = resolved(SETTINGS), replace(state(SETTINGS), graphs=())
    assert list(scaled_notices(stack, graph_of(stack), running, cluster)) == []
    assert cluster.asked == []


def test_a_hand_scaled_server_without_dynamo_is_found_in_its_deployment() -> None:
    settings = served_settings("latency-b200")
    stack, wanted = beside_what_runs(resolved(settings), state(settings))
    [service] = wanted.services
    template = {"metadata": {"labels": {"nvidia.com/dynamo-component": service}}}
    live = {"metadata": {"name": wanted.name}, "spec": {"replicas": 0, "template": template}}
    cluster = Told({"deployments": [live]})
    [notice] = scaled_notices(stack, wanted, state(settings), cluster)
    assert f"{service} of server {wanted.name} has 0 replicas in the cluster" in notice.text
    assert [asked[0] for asked in cluster.asked] == ["deployments"]


def test_a_cluster_of_the_stacks_own_is_read_with_the_kubeconfig_of_its_provider() -> None:
    cluster = resolved(eks_b200_settings()).settings.cluster
    urn = "urn:pulumi:dev::dynamo-stack::pulumi:providers:kubernetes::cluster"
    before = running_of({urn: {"kubeconfig": "clusters: []"}}, {})
    assert cluster_of_state(cluster, None, before).content == "clusters: []"
    # Empty: nothing is looked at, and never the cluster that a person's kubeconfig leads to.
    assert cluster_of_state(cluster, None, Running()).content == ""
    assert cluster_of_state(resolved(SETTINGS).settings.cluster, "/k", before) == ClusterReader(
        "gpu-cluster", "/k"
    )
