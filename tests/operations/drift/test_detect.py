"""What `drift` says of graphs, with and without an operator, and of objects inside a Helm release."""

from __future__ import annotations

from typing import Any

import pytest

from operations.drift.detect import not_compared, unreadable_graphs, unready_graphs
from operations.drift.helm_release import differences
from operations.drift.report import Outcome
from operations.recovery.stack_state import StackState
from tests.support.clusters import Told

URN = "urn:pulumi:dev::dynamo-stack::stack$kubernetes:nvidia.com/{version}:DynamoGraphDeployment::graph"
DEFINITION = {
    "metadata": {"name": "dynamographdeployments.nvidia.com"},
    "spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]},
}


def _state(version: str) -> StackState:
    return StackState(frozenset({(URN.format(version=version), "gpt-oss/graph")}), (), ())


def _cluster(*, away: bool, metadata: dict[str, Any] | None = None, **graph: Any) -> Told:
    named = {"namespace": "gpt-oss", "name": "graph"} | (metadata or {})
    answers = {
        "customresourcedefinitions": [DEFINITION],
        "dynamographdeployments": [{"metadata": named, **graph}],
    }
    return Told(answers, unconverted="v1beta1" if away else "")


@pytest.mark.parametrize(
    ("version", "away", "unreadable"),
    [("v1alpha1", True, False), ("v1beta1", True, True), ("v1beta1", False, False)],
)
def test_a_graph_is_left_out_only_where_nobody_converts_it(
    version: str, away: bool, unreadable: bool
) -> None:
    found = unreadable_graphs(_state(version), _cluster(away=away))
    assert found == ((URN.format(version=version),) if unreadable else ())
    for urn in found:
        assert "graph graph was not compared" in not_compared(urn)


@pytest.mark.parametrize(
    ("generation", "status", "said"),
    [
        (1, {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}, None),
        (2, {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}, "latest change"),
        (
            1,
            {
                "observedGeneration": 1,
                "conditions": [{"type": "Ready", "status": "False", "reason": "some_are_not_ready"}],
            },
            "some_are_not_ready",
        ),
        (1, {}, "has not looked"),
    ],
)
def test_a_graph_that_is_not_ready_as_it_is_now_is_said_in_its_operators_words(
    generation: int, status: dict[str, Any], said: str | None
) -> None:
    cluster = _cluster(away=True, metadata={"generation": generation}, status=status)
    found = unready_graphs(_state("v1beta1"), cluster)
    assert len(found) == (1 if said else 0)
    for line in found:
        assert line.startswith("graph gpt-oss/graph: ")
        assert said
        assert said in line


KEY = ("Deployment", "dynamo-system", "operator")


def _deployment(replicas: int, **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"name": "operator", **metadata},
        "spec": {"replicas": replicas, "template": {"containers": [{"name": "main", "image": "a"}]}},
        "status": {"replicas": replicas},
    }


SCALED = {"manager": "kubectl", "operation": "Update", "subresource": "scale"}
CERTIFICATE = ("Secret", "dynamo-system", "certificate")


def _with_containers(*containers: dict[str, str]) -> dict[str, Any]:
    made = _deployment(1)
    made["spec"]["template"]["containers"] = list(containers)
    return made


def _secret(value: str) -> dict[str, Any]:
    return {"kind": "Secret", "metadata": {}, "data": {"key": value}}


@pytest.mark.parametrize(
    ("wanted", "live", "field", "values", "managers"),
    [
        pytest.param(
            {KEY: _deployment(1)},
            {KEY: _deployment(0, managedFields=[SCALED | {"fieldsV1": {"f:spec": {"f:replicas": {}}}}])},
            "spec.replicas",
            ("1", "0"),
            ("kubectl",),
            id="scaled by hand",
        ),
        pytest.param({KEY: _deployment(1)}, {}, None, ("exists", "is gone"), (), id="gone"),
        pytest.param(
            {KEY: _deployment(1)},
            {KEY: _with_containers({"name": "main", "image": "b"})},
            "spec.template.containers[0].image",
            ("a", "b"),
            (),
            id="a changed item of a list is named by its place",
        ),
        pytest.param(
            {KEY: _with_containers()},
            {KEY: _with_containers({"name": "side"})},
            "spec.template.containers",
            ("[]", '[{"name": "side"}]'),
            (),
            id="a longer list is named as a whole",
        ),
        pytest.param(
            {CERTIFICATE: _secret("b25l")},
            {CERTIFICATE: _secret("dHdv")},
            "data.key",
            ("[secret]", "[secret]"),
            (),
            id="values of a chart's Secret are not shown",
        ),
    ],
)
def test_a_change_inside_a_release_is_seen_and_left(
    wanted: Any, live: Any, field: str | None, values: tuple[str, str], managers: tuple[str, ...]
) -> None:
    [change] = differences(wanted, live)
    [(kind, namespace, name)] = wanted
    assert change.object_name == f"{kind} {namespace}/{name}"
    assert (change.field, (change.expected, change.found), change.managers) == (field, values, managers)
    assert change.outcome is Outcome.LEFT
