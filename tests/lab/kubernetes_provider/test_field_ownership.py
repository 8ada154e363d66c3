"""Who may take whose fields; what follows for objects is in tests/lab/conformance/test_update.py."""

from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.field_ownership import apply_ignored, is_forced, take_over


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
        return live


@pytest.mark.parametrize(
    ("manager", "operation", "subresource", "is_taken"),
    [
        ("pulumi-kubernetes", "Update", None, True),
        ("kubectl-edit", "Update", None, True),
        ("kubectl", "Apply", None, True),
        ("kubectl", "Update", "scale", False),
        ("pulumi-kubernetes-0badcafe", "Apply", None, False),
        ("horizontal-pod-autoscaler", "Update", None, False),
    ],
)
def test_a_create_and_kubectl_by_any_of_its_names_give_their_fields_back(
    manager: str, operation: str, subresource: str | None, is_taken: bool
) -> None:
    cluster: Any = _Cluster()
    mine, others = {"f:spec": {"f:a": {}}}, {"f:spec": {"f:b": {}}}
    live = _live(("me", "Apply", mine), (manager, operation, others))
    if subresource:
        live["metadata"]["managedFields"][1]["subresource"] = subresource
    take_over(cluster, live, "me")
    assert bool(cluster.operations) is is_taken
    if is_taken:
        (entry,), version = (each["value"] for each in cluster.operations)
        assert (entry["manager"], entry["operation"]) == ("me", "Apply")
        assert entry["fieldsV1"] == {"f:spec": {"f:a": {}, "f:b": {}}}
        assert version == "7"


_ANNOTATED = {"metadata": {"annotations": {"pulumi.com/patchForce": "true"}}}
_MANAGED = _live(("other", "Update", {}))
_CREATED = _live(("pulumi-kubernetes", "Update", {}))


@pytest.mark.parametrize(
    ("inputs", "live", "always", "preview", "forces"),
    [
        ({}, _MANAGED, False, False, False),
        (_ANNOTATED, _MANAGED, False, False, True),
        ({}, _MANAGED, True, False, True),
        ({}, _live(), False, False, True),
        ({}, _CREATED, False, False, False),
        ({}, _CREATED, False, True, True),
    ],
)
def test_force_is_for_the_annotation_the_provider_and_unmanaged_objects(
    inputs: dict[str, Any], live: dict[str, Any], always: bool, preview: bool, forces: bool
) -> None:
    assert is_forced(inputs, live, always=always, preview=preview) is forces


def test_an_ignored_field_is_left_to_its_owner_or_keeps_its_live_value() -> None:
    theirs, ours = {"f:spec": {"f:replicas": {}}}, {"f:spec": {"f:paused": {}}}
    spec = {"replicas": 9, "paused": True}
    live = _live(("other", "Apply", theirs), ("me", "Apply", ours), spec=spec)
    inputs = {"spec": {"replicas": 1, "paused": False}}
    found = apply_ignored(inputs, live, "me", ["spec.replicas", "spec.paused"])
    assert found == {"spec": {"paused": True}}
    assert inputs == {"spec": {"replicas": 1, "paused": False}}
