"""What `drift` tells a person to type."""

from __future__ import annotations

import pytest

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


def test_what_lies_in_a_release_or_is_not_ready_leads_to_an_up_that_asks_whether_it_serves() -> None:
    released = DriftReport(stack="dev", changes=(_change(Outcome.LEFT),), repair_release=ROLLBACK)
    assert (released.repair, _advice(released)["RELEASE"]) == (None, ROLLBACK)
    assert released.as_json()["repair"] == [ROLLBACK]
    unready = DriftReport(stack="dev", changes=(), unready=("graph ns/g: some_resources_are_not_ready",))
    for report in (released, unready):
        assert _advice(report)["THEN"].startswith("pulumi up --refresh --stack dev")


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


def test_a_long_value_is_cut_in_the_table_where_it_is_the_same_and_whole_in_json() -> None:
    change = _of_values("x" * 200, "two\nlines", Outcome.REPAIRED)
    assert columns(change)[:2] == ("ConfigMap ns/c", "data.a")
    assert len(columns(change)[2]) < 60
    assert columns(change)[3] == "two lines"
    [written] = DriftReport(stack="dev", changes=(change,)).as_json()["changes"]
    assert written["expected"] == "x" * 200
    assert written["up"] == "repaired"
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
