"""Replicas that somebody else has set are said before they are set back."""

from dataclasses import replace
from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from recipes.placed import GraphApi
from stacks.updates.comparable_graph import graph_of
from stacks.updates.guards.cluster_identity import cluster_of_state
from stacks.updates.scaled_by_hand import scaled_notices
from tests.stacks.updates.changes import changed, replicas, state
from tests.support.clusters import SILENT, Told
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.shipped_stacks import served_settings

WHEN = "2026-11-22T15:33:48Z"
KUBECTL, OWN = "kubectl-patch", "pulumi-kubernetes-d8581001"
NAMES = ("Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker")
Settings = dict[str, Any]


def _live(api: GraphApi, frontends: int, manager: str, written: GraphApi | None = None) -> dict[str, Any]:
    """The graph as the API server has it, where `manager` has set the frontends."""
    counts = dict.fromkeys(NAMES, 1) | {"Frontend": frontends}
    one = {"f:replicas": {}}
    owned = {
        "v1beta1": {"f:components": {".": {}, 'k:{"name":"Frontend"}': {".": {}, **one}}},
        "v1alpha1": {"f:services": {"f:Frontend": one}},
    }
    spec: dict[str, Any] = {
        "v1beta1": {"components": [{"name": name, "replicas": count} for name, count in counts.items()]},
        "v1alpha1": {"services": {name: {"replicas": count} for name, count in counts.items()}},
    }
    status = {"manager": "dynamo-operator", "subresource": "status", "fieldsV1": {"f:status": one}}
    entry = {"manager": manager, "time": WHEN, "fieldsV1": {"f:spec": owned[written or api]}}
    return {"metadata": {"name": "gpt-oss-disagg", "managedFields": [status, entry]}, "spec": spec[api]}


def _said(live: dict[str, Any] | None, after: Settings | None = None, before: Settings | None = None) -> str:
    settings = disagg_b200_settings()
    cluster = Told({"dynamographdeployments": [live] if live else SILENT})
    notices = scaled_notices(resolved(after or settings), state(before or settings), cluster)
    return "\n".join(notice.text for notice in notices)


def test_a_hand_scaled_frontend_is_said_with_who_did_it_and_what_keeps_it() -> None:
    assert _said(_live("v1beta1", 2, KUBECTL)) == (
        "Frontend of graph gpt-oss-disagg has 2 replicas in the cluster, set by kubectl-patch; this stack "
        "says 1\n  the next update of it sets 1 back, and so does `pulumi up --refresh`; "
        "serving.replicas.frontend: 2 keeps them (docs/runbook/drift.md)"
    )


def test_the_number_of_a_manager_that_no_update_overrules_ends_at_a_conflict() -> None:
    assert "the next update of it ends at a field conflict" in _said(_live("v1beta1", 2, "autoscaler"))


def test_a_refresh_that_has_written_the_hands_number_into_the_state_changes_no_word() -> None:
    live = _live("v1beta1", 2, KUBECTL)
    refreshed = changed(disagg_b200_settings(), replicas(frontend=2))
    assert _said(live, before=refreshed) == _said(live) != ""


@pytest.mark.parametrize("written", ["v1alpha1", "v1beta1"])
def test_the_version_in_which_somebody_wrote_does_not_hide_them(written: GraphApi) -> None:
    assert "2 replicas in the cluster, set by autoscaler" in _said(_live("v1beta1", 2, "autoscaler", written))


def test_the_hands_number_in_the_settings_and_pulumis_own_are_ordinary() -> None:
    typed = changed(disagg_b200_settings(), replicas(frontend=2))
    assert _said(_live("v1beta1", 2, KUBECTL), typed) == ""
    assert _said(_live("v1beta1", 1, OWN), typed) == ""


def test_a_graph_scaled_to_zero_cannot_be_kept_by_a_setting() -> None:
    said = _said(_live("v1beta1", 0, KUBECTL))
    assert "has 0 replicas" in said
    assert "keeps them" not in said


def test_a_cluster_that_cannot_be_read_and_a_stack_before_its_first_up_say_nothing() -> None:
    assert _said(None) == ""
    first = replace(state(disagg_b200_settings()), graphs=())
    cluster = Told({})
    assert list(scaled_notices(resolved(disagg_b200_settings()), first, cluster)) == []
    assert cluster.asked == []


def test_a_hand_scaled_server_without_dynamo_is_found_in_its_deployment() -> None:
    settings = served_settings("latency-b200")
    stack, before = resolved(settings), state(settings)
    wanted = graph_of(stack)
    [service] = wanted.services
    labels = {"nvidia.com/dynamo-component": service}
    entries = [
        {"manager": manager, "time": WHEN, "fieldsV1": {"f:spec": fields}}
        for manager, fields in ((OWN, {"f:template": {}}), (KUBECTL, {"f:replicas": {}}))
    ]
    live = {
        "metadata": {"name": wanted.name, "managedFields": entries},
        "spec": {"replicas": 0, "template": {"metadata": {"labels": labels}}},
    }
    cluster = Told({"deployments": [live]})
    [notice] = scaled_notices(stack, before, cluster)
    assert (
        f"{service} of server {wanted.name} has 0 replicas in the cluster, set by kubectl-patch"
        in notice.text
    )
    assert [asked[0] for asked in cluster.asked] == ["deployments"]


def test_a_graph_that_another_one_replaces_is_not_compared() -> None:
    def aggregated(settings: Settings) -> None:
        settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-agg"
        del settings["serving"]["kvTransport"]

    assert _said(_live("v1beta1", 2, KUBECTL), changed(disagg_b200_settings(), aggregated)) == ""


def test_a_cluster_of_the_stacks_own_is_read_with_the_kubeconfig_of_its_provider() -> None:
    cluster = resolved(eks_b200_settings()).cluster
    urn = "urn:pulumi:dev::dynamo-stack::pulumi:providers:kubernetes::cluster"
    assert cluster_of_state(cluster, None, {urn: {"kubeconfig": "clusters: []"}}).content == "clusters: []"
    # Empty: nothing is looked at, and never the cluster that a person's kubeconfig leads to.
    assert cluster_of_state(cluster, None, {}).content == ""
    existing = resolved(disagg_b200_settings()).cluster
    assert cluster_of_state(existing, "/k", {}) == ClusterReader("gpu-cluster", "/k")
