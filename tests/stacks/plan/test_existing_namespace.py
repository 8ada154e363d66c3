"""A namespace that others made: used, and never created, labelled or removed."""

import pytest

from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from tests.stacks.changed_settings import changed
from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved
from tests.support.recordings import recorded_stack

TYPED = changed(
    disagg_b200_settings(),
    {
        "serving.namespace": {"kind": "existing", "name": "team-a"},
        "platform.namespace": {"kind": "existing", "name": "team-a-system"},
    },
)


def test_nothing_creates_or_labels_a_namespace_that_others_made() -> None:
    found = recorded_stack(resolved(TYPED))
    assert found.kubernetes_objects("Namespace") == ()
    namespaces = {str(item.namespace) for item in found.kubernetes_objects() if item.namespace is not None}
    assert namespaces == {"team-a", "team-a-system"}
    # Servers admit it by its name, for it has no label of ours.
    policies = found.kubernetes_objects("NetworkPolicy")
    assert any("'kubernetes.io/metadata.name': 'team-a'" in str(policy.inputs) for policy in policies)


@pytest.mark.parametrize("lifecycle", ["production", "disposable"])
def test_destroy_leaves_what_operators_made_there_and_promises_nothing_of_the_namespace(
    lifecycle: str,
) -> None:
    retained = {(item.kind, item.namespace) for item in resolved(TYPED | {"lifecycle": lifecycle}).retained}
    assert {kind for kind, _ in retained} & {"Namespace"} == set()
    assert ("ServiceAccount", "team-a") in retained
    assert ("Secret", "team-a-system") in retained
    assert (("PersistentVolumeClaim", "team-a") in retained) is (lifecycle == "production")


EVERY_CLUSTER_S = "every cluster has this namespace, and others put things into it: choose another"


@pytest.mark.parametrize(
    ("key", "typed", "at", "says"),
    [
        ("serving.namespace", "default", "serving.namespace", EVERY_CLUSTER_S),
        ("platform.namespace", "kube-system", "platform.namespace", EVERY_CLUSTER_S),
        ("serving.namespace.name", "kube-public", "serving.namespace.name", EVERY_CLUSTER_S),
        ("platform.namespace.name", "kube-node-lease", "platform.namespace.name", EVERY_CLUSTER_S),
        ("serving.namespace", "Team_A", "serving.namespace", "not written as this setting has to be"),
        ("serving.namespace", 7, "serving.namespace", "this is a number"),
        ("serving.namespace", ["team-a"], "serving.namespace", "this is a list"),
        ("serving.namespace", {"kind": "existing"}, "serving.namespace.name", "is missing"),
        ("serving.namespace", {"name": "team-a"}, "serving.namespace.kind", "is missing"),
        ("serving.namespace.kind", "own", "serving.namespace.kind", "not one of the known values"),
        ("serving.namespace.labels", {}, "serving.namespace.labels", "there is no setting"),
        ("serving.namespace", "team-a-system", "serving.namespace", "a namespace of its own"),
    ],
)
def test_a_namespace_that_cannot_be_had_is_named(key: str, typed: object, at: str, says: str) -> None:
    [problem] = problems_of(changed(TYPED, {key: typed}))
    assert problem.key == at
    assert says in problem.message


def test_an_own_namespace_does_not_become_an_existing_one_and_go_with_all_that_is_in_it() -> None:
    before = fixed_values(resolved(disagg_b200_settings()))
    found = changed_problems(before, fixed_values(resolved(TYPED)))
    assert [problem.key for problem in found] == ["serving.namespace.kind", "platform.namespace.kind"]
