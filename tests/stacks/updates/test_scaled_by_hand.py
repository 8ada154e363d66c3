"""A graph that somebody has scaled is refused in preview and `up` alike."""

from dataclasses import replace
from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from recipes.placed import GraphApi
from stacks.updates.comparable_graph import graph_of
from stacks.updates.guards.cluster_identity import cluster_of_state
from stacks.updates.planned_update import planned_update
from stacks.updates.scaled_by_hand import HandSet, scaled_problems, set_by_others
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


def _others(
    live: dict[str, Any] | None, before: Settings | None = None, after: Settings | None = None
) -> tuple[HandSet, ...]:
    settings = disagg_b200_settings()
    cluster = Told({"dynamographdeployments": [live] if live else SILENT})
    return set_by_others(resolved(after or settings), state(before or settings), cluster)


def _said(others: tuple[HandSet, ...], settings: Settings | None = None) -> str:
    stack = resolved(settings or disagg_b200_settings())
    problems = scaled_problems(stack, others)
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


def test_a_hand_scaled_frontend_is_refused_with_who_did_it_and_both_ways_out() -> None:
    assert _said(_others(_live("v1beta1", 2, KUBECTL))) == (
        "Pulumi.dev.yaml: serving.replicas.frontend\n"
        "  Frontend of graph gpt-oss-disagg has 2 replicas in the cluster, set by kubectl-patch at "
        "2026-11-22T15:33:48Z; this stack says 1. It may be meant, so preview and `up` end here, and "
        "nothing was created or changed\n"
        "  try: serving.replicas.frontend: 2 keeps what runs; "
        "`kubectl --context gpu-cluster patch dynamographdeployment/gpt-oss-disagg --namespace gpt-oss "
        '--type=json \'--patch=[{"op": "replace", "path": "/spec/components/0/replicas", "value": 1}]\'` '
        "puts 1 back (docs/runbook/drift.md)"
    )


def test_a_refresh_that_has_written_the_hands_number_into_the_state_changes_no_word() -> None:
    live = _live("v1beta1", 2, KUBECTL)
    before = disagg_b200_settings()
    refreshed = changed(before, replicas(frontend=2))
    assert _said(_others(live, refreshed)) == _said(_others(live, before)) != ""


@pytest.mark.parametrize("written", ["v1alpha1", "v1beta1"])
def test_the_version_in_which_somebody_wrote_does_not_hide_them(written: GraphApi) -> None:
    [other] = _others(_live("v1beta1", 2, "autoscaler", written))
    assert (other.service, other.manager, other.found, other.wanted) == ("Frontend", "autoscaler", 2, 1)


def test_the_settings_take_the_hands_number_and_no_pod_is_said_to_be_added() -> None:
    before = disagg_b200_settings()
    after = changed(before, replicas(frontend=2))
    others = _others(_live("v1beta1", 2, KUBECTL), before, after)
    assert _said(others, after) == ""
    assert planned_update(resolved(after), state(before), others).notices == ()


def test_another_number_in_the_settings_does_not_take_the_hands_silently() -> None:
    after = changed(disagg_b200_settings(), replicas(frontend=3))
    assert "; this stack says 3." in _said(_others(_live("v1beta1", 2, KUBECTL), after=after), after)


def test_a_number_of_pulumis_own_is_an_ordinary_change() -> None:
    after = changed(disagg_b200_settings(), replicas(frontend=3))
    assert _others(_live("v1beta1", 1, OWN), after=after) == ()


def test_a_graph_scaled_to_zero_cannot_be_kept_by_a_setting() -> None:
    said = _said(_others(_live("v1beta1", 0, KUBECTL)))
    assert "keeps what runs" not in said
    assert "try: `kubectl " in said


def test_a_graph_of_the_older_version_is_put_back_where_that_has_its_replicas() -> None:
    [other] = _others(_live("v1alpha1", 2, KUBECTL))
    assert '"path": "/spec/services/Frontend/replicas", "value": 1' in other.put_back


def test_a_cluster_that_cannot_be_read_and_a_stack_before_its_first_up_refuse_nothing() -> None:
    assert _others(None) == ()
    first = replace(state(disagg_b200_settings()), graphs=())
    cluster = Told({})
    assert set_by_others(resolved(disagg_b200_settings()), first, cluster) == ()
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
    [other] = set_by_others(stack, before, cluster)
    assert other.words == (
        f"{service} of server {wanted.name} has 0 replicas in the cluster, set by kubectl-patch at {WHEN}; "
        "this stack says 1"
    )
    assert [asked[0] for asked in cluster.asked] == ["deployments"]
    [problem] = scaled_problems(stack, (other,))
    assert problem.key == "serving.replicas.worker"
    assert f"patch deployment/{wanted.name}" in other.put_back
    assert '"path": "/spec/replicas", "value": 1' in other.put_back


def test_a_graph_that_another_one_replaces_is_not_compared() -> None:
    def aggregated(settings: Settings) -> None:
        settings["serving"]["recipe"] = "gpt-oss-120b/trtllm-agg"
        del settings["serving"]["kvTransport"]

    after = changed(disagg_b200_settings(), aggregated)
    assert _others(_live("v1beta1", 2, KUBECTL), after=after) == ()


def test_a_cluster_of_the_stacks_own_is_read_with_the_kubeconfig_of_its_provider() -> None:
    cluster = resolved(eks_b200_settings()).cluster
    urn = "urn:pulumi:dev::dynamo-stack::pulumi:providers:kubernetes::cluster"
    assert cluster_of_state(cluster, None, {urn: {"kubeconfig": "clusters: []"}}).content == "clusters: []"
    # Empty: nothing is looked at, and never the cluster that a person's kubeconfig leads to.
    assert cluster_of_state(cluster, None, {}).content == ""
    existing = resolved(disagg_b200_settings()).cluster
    assert cluster_of_state(existing, "/k", {}) == ClusterReader("gpu-cluster", "/k")
