"""A namespace that others made: used, and never created, labelled or removed."""

from typing import Any

import pytest

from resource_graph import ResourceGraph
from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved
from tests.support.recordings import recorded_stack

TEAM = {"kind": "existing", "name": "team-a"}
SYSTEM = {"kind": "existing", "name": "team-a-system"}


def settings(**more: Any) -> dict[str, Any]:
    typed = disagg_b200_settings()
    typed["serving"] = typed["serving"] | {"namespace": TEAM}
    typed["platform"] = typed["platform"] | {"namespace": SYSTEM}
    return typed | more


def graph(**more: Any) -> ResourceGraph:
    return recorded_stack(resolved(settings(**more)))


def test_nothing_creates_or_labels_a_namespace_that_others_made() -> None:
    found = graph()
    assert found.kubernetes_objects("Namespace") == ()
    namespaces = {str(item.namespace) for item in found.kubernetes_objects() if item.namespace is not None}
    assert namespaces == {"team-a", "team-a-system"}


def test_servers_admit_a_namespace_without_a_label_by_its_name() -> None:
    policies = graph().kubernetes_objects("NetworkPolicy")
    assert any("'kubernetes.io/metadata.name': 'team-a'" in str(policy.inputs) for policy in policies)


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_destroy_leaves_what_operators_made_there_and_promises_nothing_of_the_namespace(
    lifecycle: str,
) -> None:
    retained = {(item.kind, item.namespace) for item in resolved(settings(lifecycle=lifecycle)).retained}
    assert {kind for kind, _ in retained} & {"Namespace"} == set()
    assert ("ServiceAccount", "team-a") in retained
    assert ("Secret", "team-a-system") in retained
    assert (("PersistentVolumeClaim", "team-a") in retained) is (lifecycle == "production")


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public", "kube-node-lease"])
@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("part", ["serving", "platform"])
def test_a_namespace_of_every_cluster_is_refused(part: str, existing: bool, name: str) -> None:
    typed = settings()
    typed[part]["namespace"] = {"kind": "existing", "name": name} if existing else name
    [problem] = problems_of(typed)
    assert problem.key == f"{part}.namespace{'.name' if existing else ''}"
    assert problem.value == name
    assert "every cluster has this namespace" in problem.message


@pytest.mark.parametrize(
    ("typed", "key", "says"),
    [
        ("Team_A", "serving.namespace", "not written as this setting has to be"),
        (7, "serving.namespace", "this is a number"),
        (["team-a"], "serving.namespace", "this is a list"),
        ({"kind": "existing"}, "serving.namespace.name", "is missing"),
        ({"name": "team-a"}, "serving.namespace.kind", "is missing"),
        ({"kind": "own", "name": "team-a"}, "serving.namespace.kind", "not one of the known words"),
        ({"kind": "existing", "name": "a", "labels": {}}, "serving.namespace.labels", "there is no setting"),
        ("team-a-system", "serving.namespace", "a namespace of its own"),
    ],
)
def test_a_namespace_that_cannot_be_read_is_named(typed: object, key: str, says: str) -> None:
    written = settings()
    written["serving"]["namespace"] = typed
    [problem] = problems_of(written)
    assert problem.key == key
    assert says in problem.message


def test_an_own_namespace_does_not_become_an_existing_one_and_go_with_all_that_is_in_it() -> None:
    before = fixed_values(resolved(disagg_b200_settings()))
    found = changed_problems(before, fixed_values(resolved(settings())))
    assert [problem.key for problem in found] == ["serving.namespace.kind", "platform.namespace.kind"]
