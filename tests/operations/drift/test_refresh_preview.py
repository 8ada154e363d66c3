"""From the engine's answer to what a person reads: hand-written steps as `refresh --json` prints them."""

from __future__ import annotations

from typing import Any

import pytest

from operations.drift.refresh_preview import changes_seen, deployed_release, unready_objects
from operations.drift.report import Outcome
from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.engine_state import Step, read_steps
from resource_graph.urns import urn_name

CREATED = {"manager": "pulumi-kubernetes", "operation": "Update", "fieldsV1": {"f:spec": {"f:other": {}}}}
OWN = {"manager": "pulumi-kubernetes-0badcafe", "operation": "Apply", "fieldsV1": {"f:spec": {}}}


def _step(
    op: str,
    token: str,
    identifier: str,
    inputs: dict[str, Any],
    live_inputs: dict[str, Any] | None = None,
    diff: dict[str, str] | None = None,
    managed: list[dict[str, Any]] | None = None,
) -> Step:
    urn = f"urn:pulumi:dev::dynamo-stack::dynamo-stack:components:X${token}::{identifier}"
    step: dict[str, Any] = {
        "op": op,
        "urn": urn,
        "oldState": {"urn": urn, "type": token, "id": identifier, "inputs": inputs, "outputs": {}},
        "detailedDiff": {path: {"kind": kind, "inputDiff": False} for path, kind in (diff or {}).items()},
    }
    if op != "delete":
        outputs = {**(live_inputs or inputs), "metadata": {"managedFields": managed or []}}
        step["newState"] = {
            "urn": urn, "type": token, "id": identifier, "inputs": live_inputs or inputs, "outputs": outputs,
        }  # fmt: skip
    return read_steps([step])[0]


GRAPH = "kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment"


def _claim(found: str, *managed: dict[str, Any]) -> Step:
    def spec(size: str) -> dict[str, Any]:
        return {"spec": {"resources": {"requests": {"storage": size}}}}

    path = "spec.resources.requests.storage"
    token = "kubernetes:core/v1:PersistentVolumeClaim"
    return _step("update", token, "gpt-oss/cache", spec("1Gi"), spec(found), {path: "update"}, list(managed))


def _growing(manager: str) -> dict[str, Any]:
    fields = {"f:spec": {"f:resources": {"f:requests": {"f:storage": {}}}}}
    return {"manager": manager, "operation": "Update", "fieldsV1": fields}


def _graph(found: int, *managed: dict[str, Any]) -> Step:
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


def test_a_changed_field_is_named_with_both_values_and_who_changed_it() -> None:
    [change] = changes_seen([_claim("2Gi", CREATED, _growing("kubectl-edit"))])
    assert change.object_name == "PersistentVolumeClaim gpt-oss/cache"
    assert (change.field, change.expected, change.found) == ("spec.resources.requests.storage", "1Gi", "2Gi")
    assert (change.managers, change.outcome) == (("kubectl-edit",), Outcome.REPAIRED)


def test_kubectls_change_of_an_object_that_was_updated_before_stops_a_preview() -> None:
    [change] = changes_seen([_claim("2Gi", OWN, _growing("kubectl-edit"))])
    assert change.outcome is Outcome.PREVIEW_STOPS


@pytest.mark.parametrize(("before", "outcome"), [(CREATED, Outcome.REPAIRED), (OWN, Outcome.PREVIEW_STOPS)])
def test_a_graph_that_kubectl_scaled_is_set_back(before: dict[str, Any], outcome: Outcome) -> None:
    [change] = changes_seen([_graph(2, before, _owning("kubectl-edit"))])
    assert (change.outcome, change.managers) == (outcome, ("kubectl-edit",))


def _owned_by_pulumi(found: int) -> Step:
    return _graph(found, CREATED, _owning("pulumi-kubernetes-0badcafe"))


def test_what_only_pulumi_wrote_is_left_by_a_run_that_failed() -> None:
    [change] = changes_seen([_owned_by_pulumi(2)])
    assert (change.by_failed_up, change.managers, change.outcome) == (True, (), Outcome.REPAIRED)
    [foreign] = changes_seen([_graph(2, CREATED, _owning("kubectl-edit"))])
    assert not foreign.by_failed_up


def test_a_field_that_a_refused_update_never_brought_is_no_change_of_somebody_else() -> None:
    step = _step(
        "update", "kubernetes:core/v1:Namespace", "gpt-oss", {"metadata": {"labels": {"a": "1"}}},
        {"metadata": {}}, {"metadata.labels": "delete"}, [OWN],
    )  # fmt: skip
    [unknown], [own] = changes_seen([step]), changes_seen([step], frozenset({step.urn}))
    assert (unknown.by_failed_up, own.by_failed_up) == (False, True)


def test_another_managers_field_is_a_conflict() -> None:
    [change] = changes_seen([_graph(2, CREATED, _owning("autoscaler"))])
    assert (change.outcome, change.managers) == (Outcome.REFUSED, ("autoscaler",))


def test_a_field_changed_through_a_subresource_is_a_conflict_with_kubectl_too() -> None:
    [change] = changes_seen([_graph(2, CREATED, _owning("kubectl", subresource="scale"))])
    assert change.outcome is Outcome.REFUSED


def test_a_field_that_somebody_removed_belongs_to_nobody_and_is_put_back() -> None:
    step = _step(
        "update",
        "kubernetes:core/v1:Namespace",
        "gpt-oss",
        {"metadata": {"labels": {"a.b/c": "1"}}},
        {"metadata": {}},
        {"metadata.labels": "delete"},
        [OWN],
    )
    [change] = changes_seen([step])
    assert (change.field, change.expected, change.found) == ("metadata.labels", '{"a.b/c": "1"}', "not set")
    assert (change.outcome, change.namespace) == (Outcome.REPAIRED, None)


def test_a_field_whose_change_replaces_the_object_is_announced_as_that() -> None:
    data = {"data": {"a.yaml": "x: 1"}}
    step = _step(
        "update", "kubernetes:core/v1:ConfigMap", "ns/c", data, {"data": {"a.yaml": "x: 2"}},
        {'data["a.yaml"]': "update-replace"}, [_owning("somebody")],
    )  # fmt: skip
    [change] = changes_seen([step])
    assert (change.field, change.expected, change.found) == ('data["a.yaml"]', "x: 1", "x: 2")
    assert change.outcome is Outcome.REPLACED


def test_values_of_a_secret_are_not_shown() -> None:
    step = _step(
        "update", "kubernetes:core/v1:Secret", "ns/token", {"stringData": {"HF_TOKEN": "hf_one"}},
        {"data": {"HF_TOKEN": "aGZfdHdv"}}, {"data.HF_TOKEN": "update-replace"},
    )  # fmt: skip
    [change] = changes_seen([step])
    assert (change.field, change.expected, change.found) == ("data.HF_TOKEN", "[secret]", "[secret]")


def test_an_item_of_a_list_is_owned_under_its_key() -> None:
    containers = [{"name": "side", "image": "a"}, {"name": "main", "image": "b"}]
    changed = [containers[0], {"name": "main", "image": "c"}]
    fields = {"f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}}}}}
    step = _step(
        "update", "kubernetes:core/v1:Pod", "ns/p", {"spec": {"containers": containers}},
        {"spec": {"containers": changed}}, {"spec.containers[1].image": "update"},
        [CREATED, {"manager": "kubectl-set", "operation": "Update", "fieldsV1": fields}],
    )  # fmt: skip
    [change] = changes_seen([step])
    assert (change.field, change.managers) == ("spec.containers[1].image", ("kubectl-set",))


def test_an_object_that_is_gone_is_one_line() -> None:
    [change] = changes_seen([_step("delete", "kubernetes:core/v1:ConfigMap", "ns/c", {"data": {"a": "b"}})])
    assert (change.object_name, change.field, change.found) == ("ConfigMap ns/c", None, "is gone")
    assert change.outcome is Outcome.RECREATED


def test_a_lost_claim_is_said_to_have_lost_its_data() -> None:
    [change] = changes_seen([_step("delete", "kubernetes:core/v1:PersistentVolumeClaim", "ns/c", {})])
    assert "data" in change.expected
    assert change.outcome is Outcome.REFILLED


def _program(inputs: dict[str, Any]) -> ResourceGraph:
    """What the program wants of the object of `_graph`."""
    urn = _graph(1).urn
    return ResourceGraph([Resource(urn=urn, type=GRAPH, name=urn_name(urn), inputs=inputs)])


@pytest.mark.parametrize(
    ("wanted", "expected", "outcome"),
    [
        # An `up` that Ctrl-C ended has made what the file says now, and the state is still the old one.
        (2, "2", Outcome.RECORDED),
        (3, "3", Outcome.REPAIRED),
        (1, "1", Outcome.REPAIRED),
        (UNKNOWN, "1", Outcome.REPAIRED),
    ],
)
def test_what_is_expected_is_what_the_program_writes_and_not_what_the_state_remembers(
    wanted: Value, expected: str, outcome: Outcome
) -> None:
    program = _program({"spec": {"services": {"Frontend": {"replicas": wanted}}}})
    [change] = changes_seen([_owned_by_pulumi(2)], program=program)
    assert (change.expected, change.found, change.outcome) == (expected, "2", outcome)


def test_a_field_that_the_program_gave_up_is_expected_to_be_not_there() -> None:
    program = _program({"spec": {"services": {"Frontend": {}}}})
    [change] = changes_seen([_owned_by_pulumi(2)], program=program)
    assert (change.expected, change.outcome) == ("not set", Outcome.REPAIRED)


def test_a_secret_that_somebody_changed_is_drift_whatever_the_program_is_given_here() -> None:
    step = _step(
        "update", "kubernetes:core/v1:Secret", "ns/token", {"stringData": {"HF_TOKEN": "hf_one"}},
        {"stringData": {"HF_TOKEN": "hf_two"}}, {"stringData.HF_TOKEN": "update-replace"},
    )  # fmt: skip
    inputs = {"apiVersion": "v1", "kind": "Secret", "stringData": {"HF_TOKEN": "hf_two"}}
    program = ResourceGraph(
        [Resource(urn=step.urn, type="kubernetes:core/v1:Secret", name="t", inputs=inputs)]
    )
    [change] = changes_seen([step], program=program)
    assert change.outcome is Outcome.REPLACED


def test_what_is_as_it_was_is_no_change() -> None:
    same = _step("refresh", GRAPH, "gpt-oss/graph", {"spec": {}})
    assert changes_seen([same]) == ()
    assert changes_seen([_step("update", "pulumi:pulumi:Stack", "", {}, {}, {"a": "update"})]) == ()


def test_the_release_to_look_into_is_the_one_that_is_still_there() -> None:
    inputs = {"name": "dynamo-platform", "namespace": "dynamo-system"}
    token, identifier = "kubernetes:helm.sh/v3:Release", "dynamo-system/dynamo-platform"
    assert deployed_release([_step("refresh", token, identifier, inputs)]) == tuple(identifier.split("/"))
    assert deployed_release([_step("delete", token, identifier, inputs)]) is None
    assert deployed_release([_graph(1)]) is None


def test_an_object_that_does_not_work_is_named_and_is_no_change() -> None:
    message = (
        "warning: Refreshed resource is in an unhealthy state:\n"
        "* Resource 'dynamo-nats' was created but failed to initialize\n* 0 out of 1 replicas succeeded\n"
    )
    urn = "urn:pulumi:dev::dynamo-stack::dynamo-stack:components:Nats$kubernetes:apps/v1:StatefulSet::nats"
    found = unready_objects({"diagnostics": [{"urn": urn, "message": message}, {"message": "other"}]})
    assert found == ("StatefulSet of the resource nats: 0 out of 1 replicas succeeded",)
