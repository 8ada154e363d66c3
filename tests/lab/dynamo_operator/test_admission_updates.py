"""What an update may not change."""

from __future__ import annotations

import copy

import pytest

from tests.lab.dynamo_operator.reviews import (
    GROVE,
    INTER,
    SERVICE,
    Change,
    decode,
    on_vllm,
    refusal,
    sharing,
    spec,
    topology,
    without_services,
)
from tests.lab.fixtures.graphs import toy_graph


def scaled(replicas: int) -> Change:
    return decode(replicas=replicas, scalingAdapter={"enabled": True})


def rolling(graph: Change, phase: str) -> Change:
    return graph | {"status": {"rollingUpdate": {"phase": phase}}}


UPDATES: list[tuple[str, Change, Change, Change, str]] = [
    ("framework", toy_graph(), toy_graph(), on_vllm(toy_graph()), "spec.backendFramework is immutable"),
    (
        "added service",
        toy_graph(),
        decode(replicas=3),
        toy_graph(Planner={"componentType": "planner"}),
        "service topology is immutable and cannot be modified after creation: services added: [Planner]",
    ),
    (
        "multinode",
        toy_graph(),
        decode(replicas=3),
        decode(multinode={"nodeCount": 2}),
        f"{SERVICE} cannot change node topology between single-node and multi-node",
    ),
    (
        "topology",
        topology({"topologyProfile": "racks", "packDomain": "zone"}),
        topology({"topologyProfile": "racks", "packDomain": "zone"}),
        topology({"topologyProfile": "racks", "packDomain": "rack"}),
        "spec.topologyConstraint is immutable",
    ),
    (
        "topology of a service",
        topology({"topologyProfile": "racks", "packDomain": "zone"}),
        topology({"topologyProfile": "racks", "packDomain": "zone"}),
        topology({"topologyProfile": "racks", "packDomain": "zone"}, "Decode"),
        f"{SERVICE}.topologyConstraint is immutable",
    ),
    ("scaling adapter", scaled(1), scaled(1), scaled(2), f"{SERVICE}.replicas cannot be modified directly"),
    (
        "restart while rolling",
        rolling(toy_graph(), "InProgress"),
        toy_graph(),
        spec(restart={"id": "2"}),
        "spec.restart.id cannot be changed while a rolling update is in progress",
    ),
]


@pytest.mark.parametrize(
    ("old", "passing", "refused", "message"),
    [each[1:] for each in UPDATES],
    ids=[each[0] for each in UPDATES],
)
def test_an_update_may_not_change_what_is_fixed(
    old: Change, passing: Change, refused: Change, message: str
) -> None:
    assert refusal(passing, old=old) is None
    assert (refusal(refused, old=old) or "admitted").startswith(message)


def test_a_removed_service_is_refused_by_name() -> None:
    smaller = toy_graph()
    del smaller["spec"]["services"]["Prefill"]
    assert "removed: [Prefill]" in (refusal(smaller, old=toy_graph()) or "")


@pytest.mark.parametrize("field", ["gpuMemoryService", "failover"])
def test_the_layout_between_pods_is_fixed(field: str) -> None:
    old = on_vllm(sharing(INTER, failover=INTER))
    new = copy.deepcopy(old)
    del new["spec"]["services"]["Decode"]["failover"]
    if field == "gpuMemoryService":
        del new["spec"]["services"]["Decode"]["gpuMemoryService"]
    assert f"{SERVICE}.{field}: interPod layout is immutable" in (refusal(new, GROVE, old=old) or "")


def test_the_planner_may_scale_behind_the_adapter() -> None:
    user = "system:serviceaccount:demo:planner-serviceaccount"
    assert refusal(scaled(2), old=scaled(1), user=user) is None


def test_a_restart_is_free_once_the_rolling_update_is_done() -> None:
    assert refusal(spec(restart={"id": "2"}), old=rolling(toy_graph(), "Completed")) is None


def test_a_graph_that_is_being_deleted_is_not_checked() -> None:
    graph = without_services()
    graph["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert refusal(graph, old=toy_graph()) is None
