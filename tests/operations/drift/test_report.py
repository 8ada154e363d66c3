"""What `drift` tells a person to type."""

from __future__ import annotations

from failures.explanation import Subject
from failures.losses import Loss
from operations.drift.report import Change, DriftReport, Outcome, as_changes, columns

ROLLBACK = "helm --kube-context c rollback dynamo-platform 2 --namespace dynamo-system --wait"


def _change(outcome: Outcome, *managers: str) -> Change:
    return _of_values("1", "2", outcome, *managers)


def _of_values(expected: str, found: str, outcome: Outcome, *managers: str) -> Change:
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


def test_an_up_with_a_refresh_repairs_what_pulumi_sees() -> None:
    report = DriftReport(stack="dev", changes=(_change(Outcome.REPAIRED, "kubectl-edit"),))
    assert report.repair == "pulumi up --refresh --stack dev"
    assert "CONFLICT" not in _advice(report)


def test_a_conflict_is_never_forced_and_goes_once_the_value_is_the_stacks() -> None:
    report = DriftReport(stack="dev", changes=(_change(Outcome.REFUSED, "autoscaler"),))
    assert [text for label, text in report.advice() if label in {"FIRST", "REPAIR"}] == [
        "kubectl edit ConfigMap/c --namespace ns, with the EXPECTED value",
        "pulumi up --refresh --stack dev",
    ]
    assert "autoscaler" in _advice(report)["CONFLICT"]
    assert "Pulumi.dev.yaml" in _advice(report)["CONFLICT"]


def test_a_preview_that_alone_would_stop_is_explained() -> None:
    report = DriftReport(stack="dev", changes=(_change(Outcome.PREVIEW_STOPS, "kubectl-edit"),))
    assert "preview" in _advice(report)["CONFLICT"]
    assert report.repair == "pulumi up --refresh --skip-preview --stack dev"


def test_what_lies_in_a_release_has_a_command_of_its_own() -> None:
    report = DriftReport(stack="dev", changes=(_change(Outcome.LEFT),), repair_release=ROLLBACK)
    assert report.repair is None
    assert _advice(report)["RELEASE"] == ROLLBACK
    assert report.as_json()["repair"] == [ROLLBACK]


def test_a_release_and_what_is_not_ready_lead_to_an_up_that_asks_whether_it_serves() -> None:
    for report in (
        DriftReport(stack="dev", changes=(_change(Outcome.LEFT),), repair_release=ROLLBACK),
        DriftReport(stack="dev", changes=(), unready=("graph ns/g: some_resources_are_not_ready",)),
    ):
        assert _advice(report)["THEN"].startswith("pulumi up --refresh --stack dev")
    assert "THEN" not in _advice(DriftReport(stack="dev", changes=()))


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
    assert "1 change since the last `up` that nobody made with Pulumi; 2 fields were left half done" in mixed
    assert columns(own)[4] == "an unfinished `up`"


def test_nothing_to_repair_is_said_in_one_line() -> None:
    report = DriftReport(stack="dev", changes=())
    assert report.headline() == "STACK dev: the cluster is as the last `up` left it"
    assert report.as_json()["differs"] is False


def test_a_long_value_is_cut_in_the_table_and_whole_in_json() -> None:
    change = _of_values("x" * 200, "two\nlines", Outcome.REPAIRED)
    assert len(columns(change)[2]) < 60
    assert columns(change)[3] == "two lines"
    [written] = DriftReport(stack="dev", changes=(change,)).as_json()["changes"]
    assert written["expected"] == "x" * 200
    assert written["up"] == "repaired"


def test_long_values_are_cut_where_they_are_the_same_and_shown_where_they_differ() -> None:
    same = "trtllm-serve --config /etc/engine/decode.yaml --max_batch_size "
    change = _of_values(f"{same}128", f"{same}256", Outcome.REPAIRED)
    assert columns(change)[2:4] == ("…_batch_size 128", "…_batch_size 256")


def test_what_a_command_must_bring_back_first_stands_before_the_repair() -> None:
    gone = Change.of_object(
        ("Release", "dynamo-system", "dynamo-platform"), "exists", "is gone", Outcome.FIRST
    )
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
    )
    report = DriftReport(stack="dev", changes=tuple(as_changes(losses)), losses=losses)
    found = [(change.found, change.outcome) for change in report.changes]
    assert found == [
        ("is being deleted", Outcome.GOING),
        ("was made again, and is empty", Outcome.REFILLED),
    ]
    assert [label for label, _ in report.advice()] == ["FIRST", "REPAIR", "LOST", "LOST", "UNSEEN"]
    assert report.as_json()["repair"] == [
        "kubectl delete pvc/model-cache",
        "pulumi up --refresh --stack dev",
    ]
    assert report.as_json()["lost"] == [str(loss) for loss in losses]
