"""`diff --format sarif`: what code scanning shows of a comparison, and beside which line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.sarif.log import MOST_RESULTS
from comparison.changes import Operation
from comparison.recording import RecordedUpdate, UnreadStack
from operations.revisions.own_folder import recorded_folder
from tests.cli.command import write_stack
from tests.cli.sarif.compared import LINES, between, of_stacks, said
from tests.cli.sarif.logs import place, runs_of
from tests.comparison.made_up import changed, finding, recording, refused_size, side, waiver
from tests.conftest import copy_project
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.cli.command import Command
    from tests.cli.sarif.compared import Compared


def test_a_finding_is_placed_where_check_places_it(
    command: Command, compared: Compared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_project(tmp_path / "project")
    for file in folder.glob("Pulumi.*.yaml"):
        file.unlink()
    settings = dev_settings()
    settings["modelCache"]["size"] = "100Gi"
    settings["waivers"] = [{"rule": "kv-transport-proven", "reason": "a trial", "expires": "2099-12-31"}]
    write_stack(folder, settings)
    command("check", "dev", "--sarif", "check.sarif", folder=folder)
    [checked] = runs_of((folder / "check.sarif").read_text())
    monkeypatch.chdir(folder)
    recorded = recorded_folder([], None)
    [run] = compared(side(), side(*recorded.stacks.values()), folder=folder)
    assert len(checked["results"]) > 1
    for key in ("ruleId", "level", "message", "locations"):
        assert [each[key] for each in run["results"]] == [each[key] for each in checked["results"]]
    assert run["results"][-1]["suppressions"] == checked["results"][-1]["suppressions"]


def test_a_new_finding_is_new_one_that_stays_is_unchanged_and_one_that_is_fixed_is_left_out(
    compared: Compared,
) -> None:
    stays, fixed = finding(severity="advisory", line=5), finding("is-fixed")
    [run] = compared(
        *of_stacks(recording(findings=(stays, fixed)), recording(findings=(stays, finding("new", line=6))))
    )
    assert said(run) == [("new", "error", "new", 6), ("gpus-fit", "warning", "unchanged", 5)]
    assert run["results"][0]["message"]["text"] == "graph / decode: asks for 9 GPUs of 8"


def test_a_waived_finding_is_suppressed_at_its_waiver_and_every_other_says_that_it_is_not(
    compared: Compared,
) -> None:
    waived = recording(
        findings=(finding(status="waived", line=5), finding("open", line=6)),
        waivers=(waiver("2098-01-01"), waiver("2099-12-31")),
        lines=LINES,
    )
    [run] = compared(*of_stacks(recording(findings=(finding(),)), waived))
    assert said(run) == [("open", "error", "new", 6), ("gpus-fit", "error", "unchanged", 5)]
    is_open, is_waived = (each["suppressions"] for each in run["results"])
    assert is_open == []
    assert is_waived[0]["justification"] == "waived until 2099-12-31: a trial"
    assert place({"locations": [is_waived[0]["location"]]}) == ("Pulumi.dev.yaml", 9)


def test_what_could_not_be_decided_is_no_result(compared: Compared) -> None:
    [run] = compared(*of_stacks(recording(), recording(findings=(finding(status="undecided"),))))
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True


def test_an_update_that_the_program_refuses_is_an_error_at_the_setting(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = (
        "Pulumi.dev.yaml: modelCache.size = '1Gi'\n  too small",
        "Pulumi.dev.yaml: layers = 'x'\n  fixed",
    )
    sides = between(monkeypatch, update=RecordedUpdate(refused=texts))
    [run] = compared(*sides)
    # The second one has no line of its own.
    assert said(run) == [("update-refused", "error", "new", 7), ("update-refused", "error", "new", 3)]
    assert [each["message"]["text"] for each in run["results"]] == list(texts)


def test_another_value_that_is_refused_is_the_same_alert(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    prints = []
    for key in ("modelCache.size = '1Gi'", "modelCache.size = '2Gi'", "layers = 'x'"):
        update = RecordedUpdate(refused=(f"Pulumi.dev.yaml: {key}\n  no",))
        [run] = compared(*between(monkeypatch, update=update))
        prints.append(run["results"][0]["partialFingerprints"])
    assert prints[0] == prints[1] != prints[2]


def test_what_the_api_server_refuses_is_at_the_setting_that_makes_the_object(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    [run] = compared(*between(monkeypatch, refused_size()))
    assert said(run) == [("api-server-refuses", "error", "new", 8)]
    text = run["results"][0]["message"]["text"]
    assert text == (
        "PersistentVolumeClaim gpt-oss/cache: the API server refuses another value of spec.volumeMode."
    )


def test_what_is_protected_and_would_be_deleted_is_at_the_first_line_of_the_settings(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = changed("Cluster eks", Operation.DELETE, is_protected=True, reasons=("It has nodes.",))
    [run] = compared(*between(monkeypatch, change))
    assert said(run) == [("engine-refuses", "error", "new", 3)]
    assert run["results"][0]["message"]["text"] == (
        "Cluster eks: it is protected, and the engine refuses to delete it. It has nodes."
    )


def test_a_stack_that_the_newer_side_cannot_read_is_a_run_that_failed_with_the_reason(
    compared: Compared,
) -> None:
    [run] = compared(*of_stacks(recording(), UnreadStack("dev", "Pulumi.dev.yaml:3\n  no YAML")))
    [invocation] = run["invocations"]
    [notification] = invocation["toolExecutionNotifications"]
    assert run["results"] == []
    assert invocation["executionSuccessful"] is False
    assert notification["level"] == "error"
    assert notification["message"]["text"] == (
        "the newer side could not be read: Pulumi.dev.yaml:3\n  no YAML"
    )


def test_without_the_older_side_findings_are_there_and_nobody_says_which_are_new(compared: Compared) -> None:
    [run] = compared(*of_stacks(UnreadStack("dev", "gone"), recording(findings=(finding(line=5),))))
    assert said(run) == [("gpus-fit", "error", "", 5)]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_a_rule_that_is_defective_is_no_pass(compared: Compared) -> None:
    broken = finding(resource="", subject="the rule itself", message="is defective and judged nothing: oops")
    [run] = compared(*of_stacks(recording(), recording(findings=(broken,))))
    [invocation] = run["invocations"]
    assert run["results"] == []
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"] == [
        {
            "level": "error",
            "associatedRule": {"id": "gpus-fit", "index": 0},
            "message": {"text": "the rule gpus-fit is defective and judged nothing: oops"},
        }
    ]


def test_each_stack_is_a_run_of_its_own_category_and_one_whose_file_is_gone_says_so(
    compared: Compared,
) -> None:
    base = side(recording("a"), recording("gone"))
    runs = compared(base, side(recording("a"), recording("b")))
    assert [each["automationDetails"]["id"] for each in runs] == [
        "dynamo-stack/diff/a/",
        "dynamo-stack/diff/b/",
        "dynamo-stack/diff/gone/",
    ]
    [notification] = runs[2]["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == "note"
    assert notification["message"]["text"].startswith("its file is gone")


def test_equal_findings_of_two_stacks_and_two_of_one_stack_are_four_alerts(compared: Compared) -> None:
    twice = (finding(), finding())
    runs = compared(side(), side(recording("a", findings=twice), recording("b", findings=twice)))
    prints = [
        each["partialFingerprints"]["primaryLocationLineHash"] for run in runs for each in run["results"]
    ]
    assert len(set(prints)) == 4


def test_the_older_of_two_that_are_alike_keeps_its_fingerprint(compared: Compared) -> None:
    one, two = recording(findings=(finding(),)), recording(findings=(finding(), finding(message="another")))
    [before] = compared(side(), side(one))
    [after] = compared(side(one), side(two))
    prints = {each["baselineState"]: each["partialFingerprints"] for each in after["results"]}
    assert prints["unchanged"] == before["results"][0]["partialFingerprints"]
    assert len(prints) == 2


def test_a_recording_of_older_code_has_its_findings_at_the_top_of_the_file(compared: Compared) -> None:
    [run] = compared(*of_stacks(recording(), recording(findings=(finding(status="waived"), finding("open")))))
    assert [place(each) for each in run["results"]] == [("Pulumi.dev.yaml", 1)] * 2


def test_a_path_begins_at_the_root_of_the_checkout(compared: Compared, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "Pulumi.dev.yaml").touch()
    [run] = compared(*of_stacks(recording(), recording(findings=(finding(),))), folder=folder)
    assert place(run["results"][0])[0] == "a%20folder/Pulumi.dev.yaml"


def test_of_two_folders_the_newer_one_has_the_findings(compared: Compared, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / ".git").mkdir()
    base = side(recording(), label="../before", commit=None)
    head = side(recording(findings=(finding(),)), label="../after", commit=None)
    [run] = compared(base, head, folder=folder)
    assert place(run["results"][0])[0] == "after/Pulumi.dev.yaml"


def test_of_too_many_findings_those_that_stop_or_are_new_are_kept_and_the_rest_is_counted(
    compared: Compared,
) -> None:
    old = tuple(finding(severity="advisory", subject=str(number)) for number in range(MOST_RESULTS))
    more = (finding("new", severity="advisory"), finding("stops"))
    [run] = compared(*of_stacks(recording(findings=old), recording(findings=(*old, *more))))
    assert [each["ruleId"] for each in run["results"][:3]] == ["stops", "new", "gpus-fit"]
    assert len(run["results"]) == MOST_RESULTS
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == (
        "2 more findings are left out; `dynamo-stack diff --format json` has them all"
    )
