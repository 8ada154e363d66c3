from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider import field_ownership
from lab.kubernetes_provider.errors import StatusError


def _live(*entries: tuple[str, str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    fields = [
        {"manager": manager, "operation": operation, "fieldsV1": owned}
        for manager, operation, owned in entries
    ]
    return {"metadata": {"name": "n", "resourceVersion": "7", "managedFields": fields}, **more}


class _Cluster:
    def __init__(self) -> None:
        self.operations: list[dict[str, Any]] = []

    def patch_json(self, live: dict[str, Any], operations: list[dict[str, Any]]) -> dict[str, Any]:
        self.operations = operations
        return {**live, "patched": True}


def test_the_fields_of_a_create_change_hands_and_foreign_ones_do_not() -> None:
    ours = {"f:spec": {"f:a": {}}}
    cluster: Any = _Cluster()
    live = _live(
        ("pulumi-kubernetes", "Update", ours),
        ("me", "Apply", {"f:spec": {"f:b": {}}}),
        ("other", "Update", {}),
    )
    field_ownership.take_over(cluster, live, "me")
    entries, version = (operation["value"] for operation in cluster.operations)
    assert [(entry["manager"], entry["operation"]) for entry in entries] == [
        ("me", "Apply"),
        ("other", "Update"),
    ]
    assert entries[0]["fieldsV1"] == {"f:spec": {"f:a": {}, "f:b": {}}}
    assert version == "7"


@pytest.mark.parametrize(
    ("manager", "operation", "subresource", "is_taken"),
    [
        ("kubectl-edit", "Update", None, True),
        ("kubectl-patch", "Update", None, True),
        ("kubectl", "Apply", None, True),
        ("before-first-apply", "Update", None, True),
        ("pulumi-kubernetes.exe", "Update", None, True),
        ("kubectl", "Update", "scale", False),
        ("pulumi-kubernetes-0badcafe", "Apply", None, False),
        ("horizontal-pod-autoscaler", "Update", None, False),
    ],
)
def test_kubectl_by_any_of_its_names_gives_its_fields_back(
    manager: str, operation: str, subresource: str | None, is_taken: bool
) -> None:
    cluster: Any = _Cluster()
    live = _live(("me", "Apply", {}), (manager, operation, {"f:spec": {}}))
    if subresource:
        live["metadata"]["managedFields"][1]["subresource"] = subresource
    field_ownership.take_over(cluster, live, "me")
    assert bool(cluster.operations) is is_taken


def test_nothing_is_sent_when_there_is_nothing_to_take_over() -> None:
    live = _live(("me", "Apply", {}), ("other", "Update", {}))
    unused: Any = _Cluster()
    assert field_ownership.take_over(unused, live, "me") is live


def test_force_is_for_the_annotation_the_provider_and_unmanaged_objects() -> None:
    def forced(
        inputs: dict[str, Any], live: dict[str, Any] | None, *, always: bool = False, preview: bool = False
    ) -> bool:
        return field_ownership.is_forced(inputs, live, always=always, preview=preview)

    managed = _live(("other", "Update", {}))
    created = _live(("pulumi-kubernetes", "Update", {}))
    annotated = {"metadata": {"annotations": {"pulumi.com/patchForce": "true"}}}
    assert not forced({}, managed)
    assert forced(annotated, managed)
    assert forced({}, managed, always=True)
    assert forced({}, _live())
    assert not forced({}, created)
    assert forced({}, created, preview=True)


def test_an_ignored_field_is_left_to_its_owner_or_keeps_its_live_value() -> None:
    theirs, ours = {"f:spec": {"f:replicas": {}}}, {"f:spec": {"f:paused": {}}}
    spec = {"replicas": 9, "paused": True}
    live = _live(("other", "Apply", theirs), ("me", "Apply", ours), spec=spec)
    inputs = {"spec": {"replicas": 1, "paused": False}}
    found = field_ownership.apply_ignored(inputs, live, "me", ["spec.replicas", "spec.paused"])
    assert found == {"spec": {"paused": True}}
    assert inputs == {"spec": {"replicas": 1, "paused": False}}


def test_a_conflict_is_explained_and_other_refusals_are_not() -> None:
    conflict = field_ownership.conflict(StatusError(409, "Conflict", 'conflict with "other"'), "me")
    assert 'The resource managed by field manager "me" had an apply conflict: conflict with "other"' in str(
        conflict
    )
    refused = StatusError(422, "Invalid", "no")
    assert field_ownership.conflict(refused, "me") is refused
