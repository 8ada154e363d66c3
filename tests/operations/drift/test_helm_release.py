"""Objects inside a Helm release: what the server would make of them beside what they are."""

from __future__ import annotations

from typing import Any

from operations.drift.helm_release import differences
from operations.drift.report import Outcome

KEY = ("Deployment", "dynamo-system", "operator")


def _deployment(replicas: int, **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"name": "operator", **metadata},
        "spec": {"replicas": replicas, "template": {"containers": [{"name": "main", "image": "a"}]}},
        "status": {"replicas": replicas},
    }


def test_a_deployment_that_was_scaled_by_hand_is_seen_and_left() -> None:
    scaled = [
        {
            "manager": "kubectl",
            "operation": "Update",
            "subresource": "scale",
            "fieldsV1": {"f:spec": {"f:replicas": {}}},
        }
    ]
    [change] = differences({KEY: _deployment(1)}, {KEY: _deployment(0, managedFields=scaled)})
    assert (change.object_name, change.field) == ("Deployment dynamo-system/operator", "spec.replicas")
    assert (change.expected, change.found, change.managers) == ("1", "0", ("kubectl",))
    assert change.outcome is Outcome.LEFT


def test_an_object_that_is_gone_from_a_release_is_seen() -> None:
    [change] = differences({KEY: _deployment(1)}, {})
    assert (change.field, change.found, change.outcome) == (None, "is gone", Outcome.LEFT)


def test_what_the_server_writes_itself_is_no_difference() -> None:
    wanted = _deployment(1, generation=2, resourceVersion="8") | {"status": {"replicas": 9}}
    assert list(differences({KEY: wanted}, {KEY: _deployment(1, generation=1, uid="u")})) == []


def test_a_changed_item_of_a_list_is_named_by_its_place_and_a_longer_list_as_a_whole() -> None:
    live = _deployment(1)
    live["spec"]["template"]["containers"] = [{"name": "main", "image": "b"}]
    [change] = differences({KEY: _deployment(1)}, {KEY: live})
    assert change.field == "spec.template.containers[0].image"
    live["spec"]["template"]["containers"].append({"name": "side"})
    [change] = differences({KEY: _deployment(1)}, {KEY: live})
    assert change.field == "spec.template.containers"


def test_values_of_a_charts_secret_are_not_shown() -> None:
    key = ("Secret", "dynamo-system", "certificate")
    one, other = ({"kind": "Secret", "metadata": {}, "data": {"key": value}} for value in ("b25l", "dHdv"))
    [change] = differences({key: one}, {key: other})
    assert (change.field, change.expected, change.found) == ("data.key", "[secret]", "[secret]")
