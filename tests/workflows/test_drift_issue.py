"""drift.yml: one issue, open as long as a stack has drifted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from operations.drift.report import Change, DriftReport, Outcome
from tests.workflows.fake_github import REPOSITORY, TOKEN, FakeGitHub, Refusal
from tests.workflows.workflow_files import Ended, run_step

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "<!-- dynamo-stack drift -->"
CHANGE = Change(
    kind="Deployment",
    namespace="gpt-oss",
    name="frontend",
    field="spec.replicas",
    expected="1",
    found="tuned-by-hand",
    outcome=Outcome.REPAIRED,
    managers=("kubectl",),
)


def clean(stack: str) -> DriftReport:
    return DriftReport(stack=stack, changes=())


def drifted(stack: str, *changes: Change) -> DriftReport:
    return DriftReport(stack=stack, changes=changes or (CHANGE,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "drift").mkdir()
    return tmp_path


def run(github: FakeGitHub, folder: Path, *reports: DriftReport, stacks: str = '["one", "two"]') -> Ended:
    """The job after those that have asked the stacks, and left these reports."""
    for report in reports:
        (folder / "drift" / f"{report.stack}.json").write_text(json.dumps(report.as_json()))
    environment = {
        "GITHUB_API_URL": github.url,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_RUN_ID": "900",
        "RUNNER_TEMP": str(folder),
    }
    contexts = {"github.token": TOKEN, "vars.DEPLOYED_STACKS": stacks}
    return run_step("drift.yml", "Open or close the issue", folder, environment, contexts)


def open_issues(github: FakeGitHub) -> list[dict[str, Any]]:
    return [each for each in github.issues if each["state"] == "open"]


def test_drift_opens_an_issue_that_names_object_field_and_author(github: FakeGitHub, folder: Path) -> None:
    ended = run(github, folder, drifted("one"), clean("two"))
    assert (ended.code, ended.log) == (0, "The issue is opened.\n")
    [issue] = github.issues
    assert issue["title"] == "Drift: the cluster is not as the last `up` left it"
    assert "**one**" in issue["body"]
    assert "**two**" not in issue["body"]
    assert "Deployment gpt-oss/frontend: spec.replicas (kubectl)\n" in issue["body"]
    assert "$ pulumi up --refresh --stack one\n" in issue["body"]
    assert "https://github.com/someone/fork/actions/runs/900" in issue["body"]


def test_the_issue_shows_no_value_of_the_cluster(github: FakeGitHub, folder: Path) -> None:
    run(github, folder, drifted("one"), clean("two"))
    assert "tuned-by-hand" not in github.issues[0]["body"]


def test_drift_that_goes_on_edits_the_open_issue(github: FakeGitHub, folder: Path) -> None:
    run(github, folder, drifted("one"), clean("two"))
    ended = run(github, folder, clean("one"), drifted("two"))
    assert "is edited" in ended.log
    [issue] = github.issues
    assert "**two**" in issue["body"]
    assert "**one**" not in issue["body"]


def test_the_issue_is_closed_when_every_stack_is_as_it_was(github: FakeGitHub, folder: Path) -> None:
    run(github, folder, drifted("one"), clean("two"))
    ended = run(github, folder, clean("one"), clean("two"))
    assert "is closed" in ended.log
    [issue] = github.issues
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")


def test_drift_after_a_closed_issue_opens_another(github: FakeGitHub, folder: Path) -> None:
    github.open_issue(MARKER, state="closed")
    run(github, folder, drifted("one"), clean("two"))
    assert len(open_issues(github)) == 1
    assert len(github.issues) == 2


def test_without_drift_no_issue_is_opened(github: FakeGitHub, folder: Path) -> None:
    ended = run(github, folder, clean("one"), clean("two"))
    assert (ended.code, ended.log) == (0, "There is no drift to tell of.\n")
    assert github.issues == []


@pytest.mark.parametrize("left", [None, "", "Traceback", "{}"])
def test_a_stack_that_could_not_be_asked_closes_nothing(
    github: FakeGitHub, folder: Path, left: str | None
) -> None:
    github.open_issue(MARKER)
    if left is not None:
        (folder / "drift" / "two.json").write_text(left)
    ended = run(github, folder, clean("one"))
    assert "stays: not every stack could be asked" in ended.log
    assert len(open_issues(github)) == 1


def test_where_no_stack_could_be_asked_the_issue_stays_as_it_is(github: FakeGitHub, folder: Path) -> None:
    github.open_issue(MARKER)
    (folder / "drift").rmdir()
    assert run(github, folder).code == 0
    assert [each["body"] for each in open_issues(github)] == [MARKER]


def test_an_issue_names_the_stacks_that_could_not_be_asked(github: FakeGitHub, folder: Path) -> None:
    run(github, folder, drifted("one"))
    assert github.issues[0]["body"].endswith("Not asked, see the run: two")


def test_issues_and_pull_requests_of_others_are_left_alone(github: FakeGitHub, folder: Path) -> None:
    forged = github.open_issue(MARKER, "mallory")
    quoting = github.open_issue(f"as the other one says: {MARKER}")
    pull = github.open_issue(MARKER, pull_request={})
    run(github, folder, clean("one"), clean("two"))
    assert [each["state"] for each in (forged, quoting, pull)] == ["open"] * 3


def test_the_issue_is_found_behind_a_hundred_others(github: FakeGitHub, folder: Path) -> None:
    for number in range(130):
        github.open_issue(f"another matter {number}")
    own = github.open_issue(MARKER)
    run(github, folder, drifted("one"), clean("two"))
    assert "**one**" in own["body"]
    assert len(github.issues) == 131


def test_names_in_the_cluster_cannot_leave_their_fence(github: FakeGitHub, folder: Path) -> None:
    hostile = "x\n```\n@everyone <img src=x>"
    change = Change(
        kind="ConfigMap",
        namespace=None,
        name=hostile,
        expected="",
        found="",
        outcome=Outcome.LEFT,
        managers=(hostile,),
    )
    run(github, folder, drifted("one", change), clean("two"))
    body = github.issues[0]["body"]
    assert body.count("````") == 2
    assert body.index("````text") < body.index("@everyone") < body.rindex("````")


def test_thousands_of_changes_are_cut_at_a_line_and_counted(github: FakeGitHub, folder: Path) -> None:
    changes = [CHANGE] * 2000
    run(github, folder, drifted("one", *changes), drifted("two", *changes))
    body = github.issues[0]["body"]
    assert 50_000 < len(body.encode()) <= 60_000
    shown = body.count("Deployment gpt-oss/frontend: spec.replicas (kubectl)\n")
    assert body.count(f"and {2000 - shown // 2} more") == 2
    assert body.count("$ pulumi up --refresh --stack") == 2


def test_a_limit_of_requests_is_waited_for(github: FakeGitHub, folder: Path) -> None:
    github.refusals.append(Refusal("POST", "/issues", 403, {"Retry-After": "0"}))
    assert run(github, folder, drifted("one"), clean("two")).code == 0
    assert len(github.issues) == 1


def test_a_repository_without_issues_is_said_so(github: FakeGitHub, folder: Path) -> None:
    github.refusals.append(Refusal("POST", "/issues", 410, words="Issues are disabled for this repo"))
    ended = run(github, folder, drifted("one"), clean("two"))
    assert ended.code == 1
    assert "Issues are disabled for this repo" in ended.log
    assert "Traceback" not in ended.log
