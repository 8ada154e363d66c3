"""What `drift` says of graphs and of objects inside a Helm release, and what it tells a person to type."""

import json
from subprocess import CompletedProcess
from typing import Any

import pytest

from failures.explanation import Subject
from failures.losses import Loss
from operations.commands import ClusterCommands, Printed
from operations.drift.detect import not_compared, unreadable_graphs
from operations.drift.helm_release import differences, finished_revision
from operations.drift.report import Change, DriftReport, Outcome, as_changes, columns
from operations.errors import CommandError
from tests.support.clusters import Told

_NO_SECRETS = (
    'secrets is forbidden: User "v" cannot list resource "secrets" in API group "" in the namespace "ns"'
)
ROLLBACK = "helm --kube-context c rollback dynamo-platform 2 --namespace dynamo-system --wait"


def _change(outcome: Outcome, *managers: str, expected: str = "1", found: str = "2") -> Change:
    return Change(
        kind="ConfigMap",
        namespace="ns",
        name="c",
        field="data.a",
        expected=expected,
        found=found,
        outcome=outcome,
        managers=managers,
    )


def _advice(report: DriftReport) -> dict[str, str]:
    return dict(report.advice())


@pytest.mark.parametrize(
    ("outcome", "manager", "repair", "conflict"),
    [
        pytest.param(
            Outcome.REPAIRED, "kubectl-edit", ["pulumi up --refresh --stack dev"], (), id="put back by up"
        ),
        # A conflict is never forced, and goes once the value is the stack's.
        pytest.param(
            Outcome.REFUSED,
            "autoscaler",
            [
                "kubectl edit ConfigMap/c --namespace ns, with the EXPECTED value",
                "pulumi up --refresh --stack dev",
            ],
            ("autoscaler", "Pulumi.dev.yaml"),
            id="a conflict",
        ),
        pytest.param(
            Outcome.PREVIEW_STOPS,
            "kubectl-edit",
            ["pulumi up --refresh --skip-preview --stack dev"],
            ("preview",),
            id="a preview that would stop",
        ),
    ],
)
def test_what_pulumi_sees_is_repaired_by_an_up_and_a_conflict_is_explained(
    outcome: Outcome, manager: str, repair: list[str], conflict: tuple[str, ...]
) -> None:
    report = DriftReport(stack="dev", changes=(_change(outcome, manager),))
    assert [text for label, text in report.advice() if label in {"FIRST", "REPAIR"}] == repair
    assert report.repair == repair[-1]
    assert ("CONFLICT" in _advice(report)) is bool(conflict)
    for part in conflict:
        assert part in _advice(report)["CONFLICT"]


def test_what_lies_in_a_release_leads_to_an_up_that_asks_whether_it_serves() -> None:
    released = DriftReport(stack="dev", changes=(_change(Outcome.LEFT),), first=(ROLLBACK,))
    assert (released.repair, _advice(released)["FIRST"]) == (None, ROLLBACK)
    assert released.as_json()["repair"] == [ROLLBACK]
    assert _advice(released)["THEN"].startswith("pulumi up --refresh --stack dev")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            CompletedProcess([], 0, json.dumps({"version": 2, "info": {"status": "pending-upgrade"}}), ""),
            r"is pending-upgrade: a run is at work .*\n.*recover dev`",
        ),
        (
            CompletedProcess([], 1, "", _NO_SECRETS),
            rf"\n  {_NO_SECRETS}\n  try: `kubectl --context c auth can-i list secrets --namespace ns`$",
        ),
        (
            CompletedProcess([], 1, "", _NO_SECRETS.replace('""', '"apps"').partition(" in the")[0]),
            r"\n  try: `kubectl --context c auth can-i list secrets.apps`$",
        ),
    ],
    ids=["a run is at work", "no right in the namespace", "no right in the cluster"],
)
def test_what_helm_has_begun_or_may_not_tell_is_no_drift(
    answer: Printed, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ClusterCommands, "run", lambda *_, **_more: answer)
    with pytest.raises(CommandError, match=said):
        finished_revision(ClusterCommands("c"), "ns", "dynamo-platform", "dev")


def test_no_up_is_a_repair_before_the_owner_of_a_claim_has_made_it_again() -> None:
    claim = Subject("PersistentVolumeClaim", "shared-models", "gpt-oss")
    losses = (Loss(claim, "is gone", ": its owner makes and fills it again", owner_acts=True),)
    changes = (_change(Outcome.REPAIRED), *as_changes(losses))
    report = DriftReport(stack="dev", changes=changes, lost=tuple(map(str, losses)))
    assert (report.repair, report.as_json()["repair"]) == (None, [])
    assert [label for label, _ in report.advice()] == ["LOST", "THEN", "UNSEEN"]


def test_what_a_failed_up_left_is_not_counted_as_a_change_of_somebody() -> None:
    own = _change(Outcome.REPAIRED).model_copy(update={"by_failed_up": True})
    foreign = _change(Outcome.REPAIRED, "kubectl-edit")
    assert "nobody else has changed anything" in DriftReport(stack="dev", changes=(own,)).headline()
    mixed = DriftReport(
        stack="dev",
        changes=(
            own,
            own,
            foreign,
        ),
    ).headline()
    assert "that nobody made with Pulumi; an `up` that did not finish left 2 fields half done" in mixed
    assert columns(own)[4] == "an unfinished `up`"


def test_a_long_value_is_cut_in_the_table_where_it_is_the_same_and_whole_in_json() -> None:
    change = _change(Outcome.REPAIRED, expected="x" * 200, found="two\nlines")
    assert columns(change)[:2] == ("ConfigMap ns/c", "data.a")
    assert len(columns(change)[2]) < 60
    assert columns(change)[3] == "two lines"
    [written] = DriftReport(stack="dev", changes=(change,)).as_json()["changes"]
    assert written["expected"] == "x" * 200
    assert written["up"] == "repaired"
    same = "trtllm-serve --config /etc/engine/decode.yaml --max_batch_size "
    change = _change(Outcome.REPAIRED, expected=f"{same}128", found=f"{same}256")
    assert columns(change)[2:4] == ("…_batch_size 128", "…_batch_size 256")


def test_what_a_command_must_bring_back_first_stands_before_the_repair() -> None:
    release = Subject("Release", "dynamo-platform", "dynamo-system")
    gone = Change.of(release, ("exists", "is gone"), Outcome.FIRST)
    first = ("pulumi refresh --target '**:Release::dynamo-platform' --stack dev", "pulumi up --stack dev")
    alone = DriftReport(stack="dev", changes=(gone,), first=first)
    assert (alone.repair, alone.as_json()["repair"]) == (None, [*first])
    assert [text for label, text in alone.advice() if label == "FIRST"] == [*first]
    more = DriftReport(
        stack="dev",
        changes=(
            gone,
            _change(Outcome.REPAIRED),
        ),
        first=first,
    )
    assert more.as_json()["repair"] == [*first, "pulumi up --refresh --stack dev"]


def test_what_is_lost_is_a_change_with_the_command_that_goes_before_the_repair() -> None:
    claim = Subject("PersistentVolumeClaim", "model-cache", "gpt-oss")
    losses = (
        Loss(claim, "is being deleted", " since noon", "kubectl delete pvc/model-cache"),
        Loss(claim, "was made again", ": the volume is empty"),
        Loss(claim, "was made again by its owner", ": nobody has checked its files"),
    )
    report = DriftReport(
        stack="dev",
        changes=tuple(as_changes(losses)),
        lost=tuple(map(str, losses)),
        first=(losses[0].command,),
    )
    found = [(change.found, change.outcome) for change in report.changes]
    assert found == [
        ("is being deleted", Outcome.GOING),
        ("was made again, and is empty", Outcome.REFILLED),
        ("was made again by its owner", Outcome.CHECKED),
    ]
    assert [label for label, _ in report.advice()] == ["FIRST", "REPAIR", "LOST", "LOST", "LOST", "UNSEEN"]
    assert report.as_json()["repair"] == [
        "kubectl delete pvc/model-cache",
        "pulumi up --refresh --stack dev",
    ]
    assert report.as_json()["lost"] == [str(loss) for loss in losses]


URN = "urn:pulumi:dev::dynamo-stack::stack$kubernetes:nvidia.com/{version}:DynamoGraphDeployment::graph"
DEFINITION = {
    "metadata": {"name": "dynamographdeployments.nvidia.com"},
    "spec": {"versions": [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]},
}


def _cluster(*, away: bool, metadata: dict[str, Any] | None = None, **graph: Any) -> Told:
    named = {"namespace": "gpt-oss", "name": "graph"} | (metadata or {})
    answers = {
        "customresourcedefinitions": [DEFINITION],
        "dynamographdeployments": [{"metadata": named, **graph}],
    }
    return Told(answers, unconverted="v1beta1" if away else "")


@pytest.mark.parametrize(
    ("version", "away", "unreadable"),
    [("v1alpha1", True, False), ("v1beta1", True, True), ("v1beta1", False, False)],
)
def test_a_graph_is_left_out_only_where_nobody_converts_it(
    version: str, away: bool, unreadable: bool
) -> None:
    found = unreadable_graphs([URN.format(version=version)], _cluster(away=away))
    assert found == ((URN.format(version=version),) if unreadable else ())
    for urn in found:
        assert "graph graph was not compared" in not_compared(urn)


KEY = Subject("Deployment", "operator", "dynamo-system")


def _deployment(replicas: int, **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"name": "operator", **metadata},
        "spec": {"replicas": replicas, "template": {"containers": [{"name": "main", "image": "a"}]}},
        "status": {"replicas": replicas},
    }


SCALED = {"manager": "kubectl", "operation": "Update", "subresource": "scale"}
CERTIFICATE = Subject("Secret", "certificate", "dynamo-system")


def _with_containers(*containers: dict[str, str]) -> dict[str, Any]:
    made = _deployment(1)
    made["spec"]["template"]["containers"] = list(containers)
    return made


def _secret(value: str) -> dict[str, Any]:
    return {"kind": "Secret", "metadata": {}, "data": {"key": value}}


@pytest.mark.parametrize(
    ("wanted", "live", "field", "values", "managers"),
    [
        pytest.param(
            {KEY: _deployment(1)},
            {KEY: _deployment(0, managedFields=[SCALED | {"fieldsV1": {"f:spec": {"f:replicas": {}}}}])},
            "spec.replicas",
            ("1", "0"),
            ("kubectl",),
            id="scaled by hand",
        ),
        pytest.param({KEY: _deployment(1)}, {}, None, ("exists", "is gone"), (), id="gone"),
        pytest.param(
            {KEY: _deployment(1)},
            {KEY: _with_containers({"name": "main", "image": "b"})},
            "spec.template.containers[0].image",
            ("a", "b"),
            (),
            id="a changed item of a list is named by its place",
        ),
        pytest.param(
            {KEY: _with_containers()},
            {KEY: _with_containers({"name": "side"})},
            "spec.template.containers",
            ("[]", '[{"name": "side"}]'),
            (),
            id="a longer list is named as a whole",
        ),
        pytest.param(
            {CERTIFICATE: _secret("b25l")},
            {CERTIFICATE: _secret("dHdv")},
            "data.key",
            ("[secret]", "[secret]"),
            (),
            id="values of a chart's Secret are not shown",
        ),
    ],
)
def test_a_change_inside_a_release_is_seen_and_left(
    wanted: Any, live: Any, field: str | None, values: tuple[str, str], managers: tuple[str, ...]
) -> None:
    [change] = differences(wanted, live)
    [item] = wanted
    assert change.object_name == f"{item.kind} {item.namespace}/{item.name}"
    assert (change.field, (change.expected, change.found), change.managers) == (field, values, managers)
    assert change.outcome is Outcome.LEFT
