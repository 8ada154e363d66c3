"""From the engine's answer to what a person reads: hand-written events of a refresh."""

import json
from typing import Any

import pytest

from operations.drift.refresh_preview import changes_seen, deployed_release
from operations.drift.report import Outcome
from operations.engine_preview.events import EngineStep, read_events
from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.urns import RELEASE_TYPE, urn_name

CREATED = {"manager": "pulumi-kubernetes", "operation": "Update", "fieldsV1": {"f:spec": {"f:other": {}}}}
NO_PROGRAM = ResourceGraph(())
OWN = {"manager": "pulumi-kubernetes-0badcafe", "operation": "Apply", "fieldsV1": {"f:spec": {}}}


def _step(
    op: str,
    token: str,
    identifier: str,
    inputs: dict[str, Any],
    live_inputs: dict[str, Any] | None = None,
    diff: dict[str, str] | None = None,
    managed: list[dict[str, Any]] | None = None,
) -> EngineStep:
    urn = f"urn:pulumi:dev::dynamo-stack::dynamo-stack:components:X${token}::{identifier}"
    step: dict[str, Any] = {
        "op": op,
        "urn": urn,
        "old": {"urn": urn, "type": token, "id": identifier, "inputs": inputs, "outputs": {}},
        "detailedDiff": {path: {"diffKind": kind, "inputDiff": False} for path, kind in (diff or {}).items()},
    }
    if op != "delete":
        outputs = {**(live_inputs or inputs), "metadata": {"managedFields": managed or []}}
        step["new"] = {
            "urn": urn, "type": token, "id": identifier, "inputs": live_inputs or inputs, "outputs": outputs,
        }  # fmt: skip
    events = [
        {"resourcePreEvent": {"metadata": step | {"op": "refresh"}}},
        {"resOutputsEvent": {"metadata": step}},
    ]
    [found] = read_events(map(json.dumps, events)).steps
    return found


def test_the_release_that_is_looked_into_is_the_platforms_and_no_other_of_the_stack() -> None:
    inputs = [{"namespace": name, "name": f"{name}-platform"} for name in ("gpu", "dynamo")]
    gpu, dynamo = (_step("same", RELEASE_TYPE, each["name"], each) for each in inputs)
    assert deployed_release([gpu, dynamo]) == ("dynamo", "dynamo-platform")
    assert deployed_release([gpu]) is None


GRAPH = "kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment"


def _claim(found: str, *managed: dict[str, Any]) -> EngineStep:
    def spec(size: str) -> dict[str, Any]:
        return {"spec": {"resources": {"requests": {"storage": size}}}}

    path = "spec.resources.requests.storage"
    token = "kubernetes:core/v1:PersistentVolumeClaim"
    return _step("update", token, "gpt-oss/cache", spec("1Gi"), spec(found), {path: "update"}, list(managed))


def _growing(manager: str) -> dict[str, Any]:
    fields = {"f:spec": {"f:resources": {"f:requests": {"f:storage": {}}}}}
    return {"manager": manager, "operation": "Update", "fieldsV1": fields}


def _graph(found: int, *managed: dict[str, Any]) -> EngineStep:
    return _step(
        "update",
        GRAPH,
        "gpt-oss/graph",
        {"spec": {"services": {"Frontend": {"replicas": 1}}}},
        {"spec": {"services": {"Frontend": {"replicas": found}}}},
        {"spec.services.Frontend.replicas": "update"},
        list(managed),
    )


def _owning(manager: str, **more: str) -> dict[str, Any]:
    fields = {"f:spec": {"f:services": {"f:Frontend": {"f:replicas": {}}}}}
    return {"manager": manager, "operation": "Update", "fieldsV1": fields, **more}


def _updated(kind: str, before: Any, found: Any, path: str, how: str, *managed: dict[str, Any]) -> EngineStep:
    return _step(
        "update", f"kubernetes:core/v1:{kind}", "ns/object", before, found, {path: how}, list(managed)
    )


_LABELS = {"metadata": {"labels": {"a.b/c": "1"}}}
_CONTAINERS = [{"name": "side", "image": "a"}, {"name": "main", "image": "b"}]
_IMAGE_OWNED = {"f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}}}}}
_OF_KUBECTL_SET = {"manager": "kubectl-set", "operation": "Update", "fieldsV1": _IMAGE_OWNED}
REPLICAS, SIZE = "spec.services.Frontend.replicas", "spec.resources.requests.storage"


@pytest.mark.parametrize(
    ("step", "field", "values", "managers", "outcome"),
    [
        pytest.param(
            _claim("2Gi", CREATED, _growing("kubectl-edit")),
            SIZE,
            ("1Gi", "2Gi"),
            ("kubectl-edit",),
            Outcome.REPAIRED,
            id="what kubectl changed is set back",
        ),
        pytest.param(
            _claim("2Gi", OWN, _growing("kubectl-edit")),
            SIZE,
            ("1Gi", "2Gi"),
            ("kubectl-edit",),
            Outcome.PREVIEW_STOPS,
            id="kubectl's change of an object that was updated before stops a preview",
        ),
        pytest.param(
            _graph(2, CREATED, _owning("kubectl-edit")),
            REPLICAS,
            ("1", "2"),
            ("kubectl-edit",),
            Outcome.REPAIRED,
            id="a graph that kubectl scaled",
        ),
        pytest.param(
            _graph(2, CREATED, _owning("autoscaler")),
            REPLICAS,
            ("1", "2"),
            ("autoscaler",),
            Outcome.REFUSED,
            id="another manager's field is a conflict",
        ),
        pytest.param(
            _graph(2, CREATED, _owning("kubectl", subresource="scale")),
            REPLICAS,
            ("1", "2"),
            ("kubectl",),
            Outcome.REFUSED,
            id="a change through a subresource is a conflict with kubectl too",
        ),
        pytest.param(
            _updated("Namespace", _LABELS, {"metadata": {}}, "metadata.labels", "delete", OWN),
            "metadata.labels",
            ('{"a.b/c": "1"}', "not set"),
            (),
            Outcome.REPAIRED,
            id="what somebody removed belongs to nobody and is put back",
        ),
        pytest.param(
            _updated(
                "ConfigMap",
                {"data": {"a.yaml": "x: 1"}},
                {"data": {"a.yaml": "x: 2"}},
                'data["a.yaml"]',
                "update-replace",
                _owning("somebody"),
            ),
            'data["a.yaml"]',
            ("x: 1", "x: 2"),
            (),
            Outcome.REPLACED,
            id="a change that replaces the object is announced as that",
        ),
        pytest.param(
            _updated(
                "Secret",
                {"stringData": {"HF_TOKEN": "hf_one"}},
                {"data": {"HF_TOKEN": "aGZfdHdv"}},
                "data.HF_TOKEN",
                "update-replace",
            ),
            "data.HF_TOKEN",
            ("[secret]", "[secret]"),
            (),
            Outcome.REPLACED,
            id="values of a Secret are not shown",
        ),
        pytest.param(
            _updated(
                "Pod",
                {"spec": {"containers": _CONTAINERS}},
                {"spec": {"containers": [_CONTAINERS[0], {"name": "main", "image": "c"}]}},
                "spec.containers[1].image",
                "update",
                CREATED,
                _OF_KUBECTL_SET,
            ),
            "spec.containers[1].image",
            ("b", "c"),
            ("kubectl-set",),
            Outcome.REPAIRED,
            id="an item of a list is owned under its key",
        ),
        pytest.param(
            _step("delete", "kubernetes:core/v1:ConfigMap", "ns/c", {"data": {"a": "b"}}),
            None,
            ("exists", "is gone"),
            (),
            Outcome.RECREATED,
            id="an object that is gone",
        ),
        pytest.param(
            _step("delete", "kubernetes:core/v1:PersistentVolumeClaim", "ns/c", {}),
            None,
            ("exists, with its data", "is gone"),
            (),
            Outcome.REFILLED,
            id="a lost claim has lost its data",
        ),
    ],
)
def test_a_change_is_named_with_both_values_who_made_it_and_what_up_does(
    step: EngineStep, field: str | None, values: tuple[str, str], managers: tuple[str, ...], outcome: Outcome
) -> None:
    [change] = changes_seen([step], frozenset(), NO_PROGRAM)
    kind, _, name = step.urn.split(":")[-3:]
    assert change.object_name == f"{kind} {name}"
    assert (change.field, (change.expected, change.found)) == (field, values)
    assert (change.managers, change.outcome) == (managers, outcome)


def test_what_an_up_that_failed_has_left_is_no_change_of_somebody_else() -> None:
    [own] = changes_seen([_owned_by_pulumi(2)], frozenset(), NO_PROGRAM)
    assert (own.by_failed_up, own.managers, own.outcome) == (True, (), Outcome.REPAIRED)
    [foreign] = changes_seen([_graph(2, CREATED, _owning("kubectl-edit"))], frozenset(), NO_PROGRAM)
    # A field that a refused update never brought.
    step = _updated("Namespace", _LABELS, {"metadata": {}}, "metadata.labels", "delete", OWN)
    [unknown], [refused] = (
        changes_seen([step], frozenset(), NO_PROGRAM),
        changes_seen([step], frozenset({step.urn}), NO_PROGRAM),
    )
    assert (foreign.by_failed_up, unknown.by_failed_up, refused.by_failed_up) == (False, False, True)


def _owned_by_pulumi(found: int) -> EngineStep:
    return _graph(found, CREATED, _owning("pulumi-kubernetes-0badcafe"))


@pytest.mark.parametrize(
    ("frontend", "expected", "outcome"),
    [
        # An `up` that Ctrl-C ended has made what the file says now, and the state is still the old one.
        ({"replicas": 2}, "2", Outcome.RECORDED),
        ({"replicas": 3}, "3", Outcome.REPAIRED),
        ({"replicas": UNKNOWN}, "1", Outcome.REPAIRED),
        # The program gave the field up.
        ({}, "not set", Outcome.REPAIRED),
    ],
)
def test_what_is_expected_is_what_the_program_writes_and_not_what_the_state_remembers(
    frontend: dict[str, Value], expected: str, outcome: Outcome
) -> None:
    urn = _graph(1).urn
    inputs: dict[str, Value] = {"spec": {"services": {"Frontend": frontend}}}
    program = ResourceGraph([Resource(urn=urn, type=GRAPH, name=urn_name(urn), inputs=inputs)])
    [change] = changes_seen([_owned_by_pulumi(2)], frozenset(), program)
    assert (change.expected, change.found, change.outcome) == (expected, "2", outcome)


def test_a_secret_that_somebody_changed_is_drift_whatever_the_program_is_given_here() -> None:
    step = _step(
        "update", "kubernetes:core/v1:Secret", "ns/token", {"stringData": {"HF_TOKEN": "hf_one"}},
        {"stringData": {"HF_TOKEN": "hf_two"}}, {"stringData.HF_TOKEN": "update-replace"},
    )  # fmt: skip
    inputs = {"apiVersion": "v1", "kind": "Secret", "stringData": {"HF_TOKEN": "hf_two"}}
    program = ResourceGraph(
        [Resource(urn=step.urn, type="kubernetes:core/v1:Secret", name="t", inputs=inputs)]
    )
    [change] = changes_seen([step], frozenset(), program)
    assert change.outcome is Outcome.REPLACED
