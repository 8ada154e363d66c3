from __future__ import annotations

from typing import Any

from operations.recovery.stack_state import parse_state

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
    assert found == ("updating", f"{URN}new")
