"""drift.yml: one issue, open as long as a stack has drifted."""

import json
from pathlib import Path

import pytest

from operations.drift.report import Change, DriftReport, Outcome
from tests.workflows.fake_github import REPOSITORY, TOKEN, FakeGitHub
from tests.workflows.workflow_files import Ended, run_step

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


def states(github: FakeGitHub) -> list[str]:
    return [each["state"] for each in github.issues]


def test_drift_opens_an_issue_that_names_object_field_and_author_and_no_value_of_the_cluster(
    github: FakeGitHub, folder: Path
) -> None:
    ended = run(github, folder, drifted("one"), clean("two"))
    assert (ended.code, ended.log) == (0, "The issue is opened.\n")
    [issue] = github.issues
    assert issue["title"] == "Drift: the cluster is not as the last `up` left it"
    for said in (
        "**one**",
        "Deployment gpt-oss/frontend: spec.replicas (kubectl)\n",
        "$ pulumi up --refresh --stack one\n",
        "https://github.com/someone/fork/actions/runs/900",
    ):
        assert said in issue["body"]
    assert "**two**" not in issue["body"]
    assert "tuned-by-hand" not in issue["body"]


def test_the_issue_is_edited_while_drift_goes_on_closed_after_it_and_the_next_drift_opens_another(
    github: FakeGitHub, folder: Path
) -> None:
    run(github, folder, drifted("one"), clean("two"))
    assert "is edited" in run(github, folder, clean("one"), drifted("two")).log
    [issue] = github.issues
    assert "**two**" in issue["body"]
    assert "**one**" not in issue["body"]
    assert "is closed" in run(github, folder, clean("one"), clean("two")).log
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    run(github, folder, drifted("one"), clean("two"))
    assert states(github) == ["closed", "open"]


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
    assert states(github) == ["open"]


def test_where_no_stack_could_be_asked_the_issue_stays_as_it_is(github: FakeGitHub, folder: Path) -> None:
    github.open_issue(MARKER)
    (folder / "drift").rmdir()
    assert run(github, folder).code == 0
    assert [(each["body"], each["state"]) for each in github.issues] == [(MARKER, "open")]


def test_an_issue_names_the_stacks_that_could_not_be_asked(github: FakeGitHub, folder: Path) -> None:
    run(github, folder, drifted("one"))
    assert github.issues[0]["body"].endswith("Not asked, see the run: two")


def test_the_issue_is_found_behind_a_hundred_and_those_of_others_are_left_alone(
    github: FakeGitHub, folder: Path
) -> None:
    for number in range(130):
        github.open_issue(f"another matter {number}")
    github.open_issue(MARKER, "mallory")
    github.open_issue(f"as the other one says: {MARKER}")
    github.open_issue(MARKER, pull_request={})
    own = github.open_issue(MARKER)
    run(github, folder, clean("one"), clean("two"))
    assert own["state"] == "closed"
    assert states(github) == ["open"] * 133 + ["closed"]


def test_names_in_the_cluster_cannot_leave_their_fence(github: FakeGitHub, folder: Path) -> None:
    hostile = "x\n```\n@everyone <img src=x>"
    change = CHANGE.model_copy(update={"kind": "ConfigMap", "name": hostile, "managers": (hostile,)})
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
