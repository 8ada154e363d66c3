from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operations.recovery.stack_state import parse_state
from resource_graph.urns import RELEASE_TYPE

if TYPE_CHECKING:
    from operations.recovery.stack_state import PendingOperation

URN = "urn:pulumi:dev::dynamo-stack::"


def _resource(name: str, **more: Any) -> dict[str, Any]:
    return {"urn": f"{URN}{name}", "type": "kubernetes:core/v1:ConfigMap", "id": f"ns/{name}", **more}


def test_a_stack_that_never_ran_holds_nothing() -> None:
    assert parse_state({}).is_empty
    assert parse_state({"resources": [{"urn": URN, "type": "pulumi:pulumi:Stack"}]}).is_empty


def test_what_waits_to_be_deleted_or_made_again_is_not_in_the_cluster_for_good() -> None:
    state = parse_state(
        {
            "resources": [
                _resource("new"),
                _resource("old", delete=True),
                _resource("gone", pendingReplacement=True),
            ]
        }
    )
    assert state.recorded == {(f"{URN}new", "ns/new")}
    assert state.half_replaced == (f"{URN}old", f"{URN}gone")


def test_an_operation_without_an_answer_is_found_with_its_resource() -> None:
    operation = {"type": "updating", "resource": _resource("new")}
    [found] = parse_state({"pending_operations": [operation]}).pending
    assert (found.operation, found.urn) == ("updating", f"{URN}new")


def _pending(operation: str, **resource: Any) -> PendingOperation:
    content = {"type": operation, "resource": {"urn": f"{URN}n", **resource}}
    return parse_state({"pending_operations": [content]}).pending[0]


def test_an_operation_knows_its_object_and_how_long_it_may_wait() -> None:
    graph = {
        "type": "kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment",
        "inputs": {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoGraphDeployment",
            "metadata": {"name": "graph", "namespace": "serving"},
        },
        "customTimeouts": {"create": 5400, "delete": 900},
    }
    assert str(_pending("creating", **graph).target) == "DynamoGraphDeployment serving/graph"
    seconds = [_pending(each, **graph).wait_seconds for each in ("creating", "updating", "deleting")]
    assert seconds == [5400, 600, 900]
    release = {"type": RELEASE_TYPE, "inputs": {"name": "platform", "namespace": "system", "timeout": 700}}
    assert str(_pending("creating", **release).target) == "Release system/platform"
    assert _pending("creating", **release).wait_seconds == 700
    cluster = _pending("creating", type="aws:eks/cluster:Cluster", inputs={"name": "c"})
    assert cluster.target is None
    assert cluster.wait_seconds == 3600
