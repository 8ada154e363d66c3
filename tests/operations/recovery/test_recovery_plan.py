"""What recovery decides to do, from what it found."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from operations.errors import CommandError
from operations.recovery.found_in_cluster import HelmRelease, Leftovers
from operations.recovery.recovery_plan import Plan, plan_destroy, plan_up
from operations.recovery.stack_state import ClusterObject
from resource_graph import Resource
from resource_graph.engine_state import Deployment, EngineRecord, PendingOperation
from resource_graph.urns import RELEASE_TYPE

URN = "urn:pulumi:dev::dynamo-stack::"
OURS = ("pulumi-kubernetes",)
JOB = ClusterObject(f"{URN}Job::job", "batch/v1", "Job", "serving", "download", OURS)
CLAIM = ClusterObject(f"{URN}Claim::claim", "v1", "PersistentVolumeClaim", "serving", "cache", OURS)
GRAPH = ClusterObject(
    f"{URN}Graph::graph", "nvidia.com/v1alpha1", "DynamoGraphDeployment", "serving", "graph", OURS
)
WANTED = Resource(
    urn=f"{URN}Release::platform",
    type=RELEASE_TYPE,
    name="platform",
    inputs={"chart": "platform"},
    parent=f"{URN}Platform::platform",
    provider=f"{URN}provider::cluster",
)
RELEASE = HelmRelease(WANTED, "platform", "system")
UNLOCK, UP = "cancel --yes", "up --yes"
UP_UNSEEN = "up --yes --skip-preview"
"""Where no release stands: a preview would ask its webhook, which definitions of graphs still name."""
REFRESH = "refresh --yes --skip-preview --clear-pending-creates"


def _state(*recorded: ClusterObject, creating: Iterable[str] = (), call: str = "creating") -> Deployment:
    return Deployment(
        resources=tuple(EngineRecord(urn=each.urn, type="kubernetes:", id=each.id) for each in recorded),
        pending_operations=tuple(
            PendingOperation(type=call, resource=EngineRecord(urn=urn, type="kubernetes:"))
            for urn in creating
        ),
    )


def _remains(state: Deployment, *objects: ClusterObject, release: HelmRelease | None = RELEASE) -> Leftovers:
    return Leftovers(state, release, objects)


def _commands(plan: Plan) -> list[str]:
    return [" ".join(step.arguments) for step in plan.steps]


def _up(remains: Leftovers) -> Plan:
    return plan_up(remains, policy_pack=False)


SPACE = ClusterObject(f"{URN}Ns::ns", "v1", "Namespace", None, "system", OURS)
DEPLOYED = replace(RELEASE, status="deployed", last_deployed=1, chart="platform-1.2.1")
PENDING = replace(RELEASE, status="pending-install")
CREATING_CLAIM = _state(JOB, creating=(CLAIM.urn,))
INSTALLING = _state(creating=(WANTED.urn,))
INSTALLED = replace(JOB, urn=WANTED.urn, namespace="system", name="platform")
GOING = replace(
    _remains(
        _state(INSTALLED, GRAPH, creating=(GRAPH.urn,), call="deleting"),
        replace(GRAPH, is_terminating=True),
        release=replace(RELEASE, status="deployed", last_deployed=3),
    ),
    operator_answers=False,
)
BACK = "rollback platform 3 --namespace system --wait"
GRAPH_NAME = "DynamoGraphDeployment.v1alpha1.nvidia.com/graph --namespace serving"


@pytest.mark.parametrize(
    ("planned", "remains", "commands"),
    [
        pytest.param(_up, _remains(_state(), CLAIM), [], id="what a destroy left on purpose"),
        pytest.param(plan_destroy, _remains(_state(), CLAIM), [], id="the same, destroyed again"),
        pytest.param(
            _up,
            replace(_remains(_state(JOB), JOB), operator_answers=False),
            [],
            id="an operator that is away is no interruption",
        ),
        pytest.param(
            _up,
            _remains(CREATING_CLAIM, replace(JOB, is_terminating=True)),
            [
                UNLOCK,
                "wait Job.v1.batch/download --namespace serving --for=delete --timeout=600s",
                REFRESH,
                UP_UNSEEN,
            ],
            id="an object that is going is waited for",
        ),
        pytest.param(
            _up,
            _remains(INSTALLING, release=replace(RELEASE, status="uninstalling")),
            [UNLOCK, "uninstall platform --namespace system --wait", REFRESH, UP_UNSEEN],
            id="a release that helm can only uninstall",
        ),
        *(
            pytest.param(
                _up,
                _remains(_state(INSTALLED), release=replace(RELEASE, status=status, last_deployed=3)),
                [UNLOCK, "rollback platform 3 --namespace system", REFRESH, UP],
                id=f"a release in {status} goes back to what ran",
            )
            for status in ("pending-upgrade", "pending-rollback")
        ),
        pytest.param(
            plan_destroy,
            _remains(
                _state(JOB, creating=(CLAIM.urn, GRAPH.urn, WANTED.urn)),
                JOB,
                CLAIM,
                GRAPH,
                release=replace(PENDING, graphs=(GRAPH.id,)),
            ),
            [
                UNLOCK,
                f"delete {GRAPH_NAME} --cascade=foreground --ignore-not-found --timeout=600s",
                "uninstall platform --namespace system --wait",
                REFRESH,
                "destroy --yes",
            ],
            id="destroy ends a graph that the state does not know before its operator",
        ),
        pytest.param(
            _up,
            GOING,
            [UNLOCK, BACK, f"wait {GRAPH_NAME} --for=delete --timeout=600s", REFRESH, UP],
            id="an operator that is away comes back before a graph is waited for",
        ),
        pytest.param(
            plan_destroy,
            GOING,
            [UNLOCK, BACK, REFRESH, "destroy --yes"],
            id="and before a graph is destroyed",
        ),
    ],
)
def test_recovery_types_what_makes_the_cluster_whole(
    planned: Callable[[Leftovers], Plan], remains: Leftovers, commands: list[str]
) -> None:
    plan = planned(remains)
    assert _commands(plan) == commands
    kept = ["PersistentVolumeClaim serving/cache"] if commands and CLAIM in remains.objects else []
    assert list(plan.left) == kept


@pytest.mark.parametrize(
    ("planned", "remains", "said"),
    [
        pytest.param(
            _up,
            _remains(
                _state(CLAIM, creating=(JOB.urn,)), CLAIM, replace(JOB, managers=("kubectl-create", "x"))
            ),
            (
                "Job serving/download, written by kubectl-create, x",
                "then the same `dynamo-stack recover` again",
            ),
            id="an object that somebody else made",
        ),
        *(
            pytest.param(
                planned,
                # Not even where a run of this stack was at it: Helm has refused that run.
                _remains(
                    _state(SPACE, creating=(WANTED.urn,)),
                    replace(SPACE, other_owner="stack first"),
                    release=DEPLOYED,
                ),
                ("in a namespace of stack first", "`platform: {kind: existing}`"),
                id=f"a release in another stack's namespace, {planned.__name__}",
            )
            for planned in (_up, plan_destroy)
        ),
        *(
            pytest.param(
                planned,
                _remains(INSTALLING, release=replace(PENDING, holds=("PersistentVolumeClaim streams",))),
                ("would delete PersistentVolumeClaim streams",),
                id=f"a release with data in it, {planned.__name__}",
            )
            for planned in (_up, plan_destroy)
        ),
        *(
            pytest.param(
                planned,
                replace(
                    _remains(_state(GRAPH, creating=(JOB.urn,)), GRAPH, release=None), operator_answers=False
                ),
                ("with those who run the platform",),
                id=f"an operator of somebody else, {planned.__name__}",
            )
            for planned in (_up, plan_destroy)
        ),
        pytest.param(
            plan_destroy,
            _remains(INSTALLING, release=replace(PENDING, graphs=("other/graph",))),
            ("without the operator that removes their finalizers: other/graph",),
            id="an operator that others' graphs need",
        ),
        *(
            pytest.param(
                _up,
                _remains(_state(SPACE), SPACE, release=replace(DEPLOYED, **foreign)),
                (
                    "nothing says that this stack has installed it",
                    f"`pulumi import {RELEASE_TYPE} platform {foreign.get('namespace', 'system')}/platform",
                ),
                id=f"a release of another {key}",
            )
            for key, foreign in (
                ("chart", {"chart": "postgres-1.2.1"}),
                ("namespace", {"namespace": "other"}),
            )
        ),
    ],
)
def test_what_recovery_may_not_touch_ends_it_with_whose_it_is(
    planned: Callable[[Leftovers], Plan], remains: Leftovers, said: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError) as refused:
        planned(remains)
    assert [part for part in said if part not in str(refused.value)] == []
    assert "nothing was changed" in str(refused.value).lower()


def test_what_an_uninstallation_leaves_without_an_operator_is_said() -> None:
    plan = _up(_remains(INSTALLING, release=replace(PENDING, graphs=("other/graph",))))
    assert "no operator looks after other/graph" in plan.steps[1].says


def test_a_stack_that_never_got_to_its_graph_goes_on_to_it_unless_it_never_began() -> None:
    plan = _up(replace(_remains(_state(JOB), JOB), graph_to_come="gpt-oss-disagg"))
    assert _commands(plan) == [UNLOCK, REFRESH, UP_UNSEEN]
    assert _up(replace(_remains(_state()), graph_to_come="gpt-oss-disagg")) == Plan()


def test_what_a_person_made_under_the_name_is_left_by_a_recovery_that_destroys() -> None:
    by_hand = replace(GRAPH, managers=("kubectl-client-side-apply",))
    plan = plan_destroy(_remains(_state(JOB, creating=(GRAPH.urn,)), JOB, by_hand))
    assert not [command for command in _commands(plan) if "DynamoGraphDeployment" in command]
    assert plan.left == ("DynamoGraphDeployment serving/graph",)


@pytest.mark.parametrize("other", ["stack first", "Helm release team-a/chart"])
def test_what_bears_another_stacks_labels_is_neither_taken_over_nor_deleted(other: str) -> None:
    theirs = replace(CLAIM, other_owner=other)
    with pytest.raises(CommandError) as refused:
        _up(_remains(CREATING_CLAIM, JOB, theirs))
    assert f"PersistentVolumeClaim serving/cache, of {other}" in str(refused.value)
    assert "`platform: {kind: existing}`" in str(refused.value)
    graph = replace(GRAPH, other_owner=other)
    plan = plan_destroy(_remains(_state(JOB, creating=(GRAPH.urn,)), JOB, graph))
    assert not any("delete" in line for line in _commands(plan))


def test_a_release_that_was_installed_before_the_engine_heard_of_it_is_imported() -> None:
    plan = _up(_remains(INSTALLING, release=replace(RELEASE, status="deployed", last_deployed=1)))
    first = plan.steps[1].arguments
    assert first[:4] == ("import", RELEASE_TYPE, "platform", "system/platform")
    assert f"--parent=parent={WANTED.parent}" in first
    assert f"--provider=provider={WANTED.provider}" in first
    assert "--protect=false" in first
    # Nor was a run making it, but the namespace is pulumi's.
    plan = _up(_remains(_state(SPACE), SPACE, release=DEPLOYED))
    assert plan.steps[1].arguments[:2] == ("import", RELEASE_TYPE)
    assert "the state does not know it: Helm release system/platform" in plan.found[0]
