"""What recovery decides to do, from what it found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from components.object_owner import Owner
from operations.errors import CommandError
from operations.recovery.found_in_cluster import HelmRelease, Leftovers
from operations.recovery.recovery_plan import Plan, plan_destroy, plan_up
from operations.recovery.stack_state import ClusterObject, StackState
from resource_graph.urns import RELEASE_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable

URN = "urn:pulumi:dev::dynamo-stack::"
JOB = ClusterObject(f"{URN}Job::job", "batch/v1", "Job", "serving", "download", ("pulumi-kubernetes",))
CLAIM = ClusterObject(
    f"{URN}Claim::claim", "v1", "PersistentVolumeClaim", "serving", "cache", ("pulumi-kubernetes",)
)
GRAPH = ClusterObject(
    f"{URN}Graph::graph",
    "nvidia.com/v1alpha1",
    "DynamoGraphDeployment",
    "serving",
    "graph",
    ("pulumi-kubernetes",),
)
RELEASE = HelmRelease(
    f"{URN}Release::platform",
    f"{URN}Platform::platform",
    f"{URN}provider::cluster",
    "platform",
    "system",
    None,
)
UNLOCK, UP = "cancel --yes", "up --yes"
UP_UNSEEN = "up --yes --skip-preview"
"""Where no release stands: a preview would ask its webhook, which definitions of graphs still name."""
REFRESH = "refresh --yes --skip-preview --clear-pending-creates"


def _state(*recorded: ClusterObject, creating: tuple[str, ...] = ()) -> StackState:
    return StackState(
        frozenset((each.urn, each.id) for each in recorded),
        tuple(("creating", urn) for urn in creating),
        (),
    )


def _remains(state: StackState, *objects: ClusterObject, release: HelmRelease | None = RELEASE) -> Leftovers:
    return Leftovers(state, release, objects)


def _commands(plan: Plan) -> list[str]:
    return [" ".join(step.arguments) for step in plan.steps]


def _up(remains: Leftovers) -> Plan:
    return plan_up(remains, policy_pack=False)


def test_a_stack_that_is_whole_needs_nothing() -> None:
    assert _up(_remains(_state(JOB), JOB)) == Plan()


def test_a_stack_that_never_got_to_its_graph_goes_on_to_it() -> None:
    plan = _up(replace(_remains(_state(JOB), JOB), graph_to_come="gpt-oss-disagg"))
    assert _commands(plan) == [UNLOCK, REFRESH, UP_UNSEEN]
    assert plan.found == ("the stack has no graph: no `up` has got as far as gpt-oss-disagg",)
    assert _up(replace(_remains(_state()), graph_to_come="gpt-oss-disagg")) == Plan()


def test_what_a_destroyed_stack_left_on_purpose_is_no_interruption() -> None:
    assert _up(_remains(_state(), CLAIM)) == Plan()
    assert plan_destroy(_remains(_state(), CLAIM)) == Plan()


def test_a_lock_goes_first_and_the_stack_is_up_last() -> None:
    plan = _up(_remains(_state(JOB, creating=(CLAIM.urn,)), JOB))
    assert _commands(plan) == [UNLOCK, REFRESH, UP_UNSEEN]
    assert plan.found == (f"interrupted while creating: {CLAIM.urn}",)


def test_what_exists_is_taken_over_in_this_run_only_and_under_the_policies() -> None:
    plan = plan_up(_remains(_state(creating=(JOB.urn,)), JOB), policy_pack=True)
    assert plan.steps[-1].arguments == ("up", "--yes", "--skip-preview", "--policy-pack", "policy")
    assert plan.steps[-1].variables == {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true"}
    assert all(not step.variables for step in plan.steps[:-1])
    assert "exists, and the state does not know it: Job serving/download" in plan.found


def test_an_object_that_nobody_knows_is_found_though_nothing_is_pending_any_more() -> None:
    assert _commands(_up(_remains(_state(CLAIM), CLAIM, JOB))) == [UNLOCK, REFRESH, UP_UNSEEN]


def test_an_object_that_somebody_else_made_is_not_taken_over() -> None:
    foreign = replace(JOB, managers=("kubectl-create", "kube-controller-manager"))
    with pytest.raises(CommandError) as refused:
        _up(_remains(_state(CLAIM, creating=(JOB.urn,)), CLAIM, foreign))
    assert "Job serving/download, written by kubectl-create, kube-controller-manager" in str(refused.value)
    assert "then the same `dynamo-stack recover` again" in str(refused.value)
    assert "import" not in str(refused.value)


def test_what_a_person_made_under_the_name_is_left_by_a_recovery_that_destroys() -> None:
    by_hand = replace(GRAPH, managers=("kubectl-client-side-apply",))
    plan = plan_destroy(_remains(_state(JOB, creating=(GRAPH.urn,)), JOB, by_hand))
    assert not [command for command in _commands(plan) if "DynamoGraphDeployment" in command]
    assert plan.left == ("DynamoGraphDeployment serving/graph",)


@pytest.mark.parametrize("other", [Owner(stack="first"), Owner(release="team-a/chart")])
def test_what_bears_another_stacks_labels_is_neither_taken_over_nor_deleted(other: Owner) -> None:
    theirs = replace(CLAIM, other_owner=other)
    was_creating = _state(JOB, creating=(CLAIM.urn,))
    with pytest.raises(CommandError) as refused:
        _up(_remains(was_creating, JOB, theirs))
    assert f"PersistentVolumeClaim serving/cache, of {other}" in str(refused.value)
    assert "`platform: {kind: existing}`" in str(refused.value)
    graph = replace(GRAPH, other_owner=other)
    plan = plan_destroy(_remains(_state(JOB, creating=(GRAPH.urn,)), JOB, graph))
    assert not any("delete" in line for line in _commands(plan))


@pytest.mark.parametrize("planned", [_up, plan_destroy])
def test_a_release_in_another_stacks_namespace_is_never_imported(
    planned: Callable[[Leftovers], Plan],
) -> None:
    space = ClusterObject(f"{URN}Ns::ns", "v1", "Namespace", None, "system", ("pulumi-kubernetes",))
    theirs = replace(space, other_owner=Owner(stack="first"))
    release = replace(
        RELEASE, status="deployed", last_deployed=1, chart="platform-1.2.1", wanted_chart="platform"
    )
    # Not even where a run of this stack was at it: Helm has refused that run.
    remains = _remains(_state(theirs, creating=(RELEASE.urn,)), theirs, release=release)
    with pytest.raises(CommandError, match="in a namespace of stack first") as refused:
        planned(remains)
    assert "`platform: {kind: existing}`" in str(refused.value)


def test_an_object_of_several_writers_is_let_go_by_the_create_that_made_it() -> None:
    made = replace(GRAPH, managers=("operator", "pulumi-kubernetes"), create_entry=1)
    _, first, *_ = _up(_remains(_state(creating=(GRAPH.urn,)), made)).steps
    assert first.arguments[:4] == (
        "patch",
        "DynamoGraphDeployment.v1alpha1.nvidia.com/graph",
        "--namespace",
        "serving",
    )
    assert first.arguments[-1] == (
        '--patch=[{"op": "test", "path": "/metadata/managedFields/1/manager", "value": "pulumi-kubernetes"}, '
        '{"op": "replace", "path": "/metadata/managedFields/1/fieldsV1", "value": '
        '{"f:metadata": {"f:annotations": {"f:dynamo-stack/recovering": {}}}}}]'
    )


def test_an_object_that_a_recovery_has_let_go_of_is_still_pulumis() -> None:
    made = replace(GRAPH, managers=("operator", "pulumi-kubernetes"), create_entry=None)
    # That recovery has dropped the interrupted operation, and was killed before it had taken the object over.
    assert _commands(_up(_remains(_state(CLAIM), CLAIM, made))) == [UNLOCK, REFRESH, UP_UNSEEN]


def test_an_object_that_is_going_is_waited_for_before_it_is_made_again() -> None:
    going = replace(JOB, is_terminating=True)
    plan = _up(_remains(_state(JOB, creating=(CLAIM.urn,)), going))
    assert _commands(plan)[1] == "wait Job.v1.batch/download --namespace serving --for=delete --timeout=600s"


@pytest.mark.parametrize("status", ["pending-install", "uninstalling"])
def test_a_release_that_helm_can_only_uninstall_is_uninstalled(status: str) -> None:
    release = replace(RELEASE, status=status, graphs=("other/graph",))
    plan = _up(_remains(_state(creating=(RELEASE.urn,)), release=release))
    assert _commands(plan) == [UNLOCK, "uninstall platform --namespace system --wait", REFRESH, UP_UNSEEN]
    assert "no operator looks after other/graph" in plan.steps[1].says


def test_a_release_with_data_in_it_is_never_uninstalled() -> None:
    release = replace(RELEASE, status="pending-install", holds=("PersistentVolumeClaim streams",))
    remains = _remains(_state(creating=(RELEASE.urn,)), release=release)
    for planned in (_up, plan_destroy):
        with pytest.raises(CommandError, match="would delete PersistentVolumeClaim streams"):
            planned(remains)


@pytest.mark.parametrize("status", ["pending-upgrade", "pending-rollback"])
def test_a_release_that_ran_before_goes_back_to_what_ran(status: str) -> None:
    release = replace(RELEASE, status=status, last_deployed=3)
    state = StackState(frozenset({(RELEASE.urn, "system/platform")}), (), ())
    assert _commands(_up(_remains(state, release=release))) == [
        UNLOCK,
        "rollback platform 3 --namespace system",
        REFRESH,
        UP,
    ]


def test_a_release_that_was_installed_before_the_engine_heard_of_it_is_imported() -> None:
    release = replace(RELEASE, status="deployed", last_deployed=1)
    plan = _up(_remains(_state(creating=(RELEASE.urn,)), release=release))
    first = plan.steps[1].arguments
    assert first[:4] == ("import", RELEASE_TYPE, "platform", "system/platform")
    assert f"--parent=parent={RELEASE.parent}" in first
    assert f"--provider=provider={RELEASE.provider}" in first
    assert "--protect=false" in first


def test_a_release_that_no_run_was_making_is_imported_where_the_namespace_is_pulumis() -> None:
    space = ClusterObject(f"{URN}Ns::ns", "v1", "Namespace", None, "system", ("pulumi-kubernetes",))
    release = replace(
        RELEASE, status="deployed", last_deployed=1, chart="platform-1.2.1", wanted_chart="platform"
    )
    plan = _up(_remains(_state(space), space, release=release))
    assert plan.steps[1].arguments[:2] == ("import", RELEASE_TYPE)
    assert "the state does not know it: Helm release system/platform" in plan.found[0]
    for foreign in (replace(release, chart="postgres-1.2.1"), replace(release, namespace="other")):
        with pytest.raises(CommandError, match="nothing says that this stack has installed it") as refused:
            _up(_remains(_state(space), space, release=foreign))
        assert f"`pulumi import {RELEASE_TYPE} platform {foreign.namespace}/platform" in str(refused.value)


def test_destroy_ends_the_graph_that_the_state_does_not_know_before_its_operator() -> None:
    release = replace(RELEASE, status="pending-install", graphs=(GRAPH.id,))
    state = _state(JOB, creating=(CLAIM.urn, GRAPH.urn, RELEASE.urn))
    plan = plan_destroy(_remains(state, JOB, CLAIM, GRAPH, release=release))
    assert _commands(plan) == [
        UNLOCK,
        "delete DynamoGraphDeployment.v1alpha1.nvidia.com/graph --namespace serving --cascade=foreground "
        "--ignore-not-found --timeout=600s",
        "uninstall platform --namespace system --wait",
        REFRESH,
        "destroy --yes",
    ]
    assert plan.left == ("PersistentVolumeClaim serving/cache",)


def test_destroy_takes_no_operator_away_from_the_graphs_of_others() -> None:
    release = replace(RELEASE, status="pending-install", graphs=("other/graph",))
    with pytest.raises(CommandError, match="without the operator that removes their finalizers: other/graph"):
        plan_destroy(_remains(_state(creating=(RELEASE.urn,)), release=release))


def test_an_operator_that_is_away_comes_back_before_anything_waits_for_a_graph() -> None:
    release = replace(RELEASE, status="deployed", last_deployed=3)
    recorded = frozenset({(RELEASE.urn, "system/platform"), (GRAPH.urn, GRAPH.id)})
    state = StackState(recorded, (("deleting", GRAPH.urn),), ())
    going = replace(GRAPH, is_terminating=True)
    remains = replace(_remains(state, going, release=release), operator_answers=False)
    back = "rollback platform 3 --namespace system --wait"
    assert _commands(_up(remains))[:3] == [
        UNLOCK,
        back,
        "wait DynamoGraphDeployment.v1alpha1.nvidia.com/graph --namespace serving --for=delete "
        "--timeout=600s",
    ]
    assert _commands(plan_destroy(remains))[:2] == [UNLOCK, back]


def test_an_operator_that_is_away_is_no_interruption() -> None:
    assert _up(replace(_remains(_state(JOB), JOB), operator_answers=False)) == Plan()


def test_an_operator_of_somebody_else_is_left_to_them() -> None:
    state = _state(GRAPH, creating=(JOB.urn,))
    remains = replace(_remains(state, GRAPH, release=None), operator_answers=False)
    for planned in (_up, plan_destroy):
        with pytest.raises(CommandError, match="with those who run the platform"):
            planned(remains)
