"""What the workflows may do, whose code they run, and what they take on trust."""

import re

import pytest

from lab.directory import REPOSITORY
from lab.toolchain.tools import PULUMI_VERSION
from tests.workflows.workflow_files import FOLDER, NAMES, jobs, steps, workflow

# Events that GitHub runs with the default branch's file and a token that may write.
PRIVILEGED = {"pull_request_target", "workflow_run", "issue_comment", "issues"}
_ACTION = re.compile(r"uses: ([\w./-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$")


def uses(name: str) -> list[str]:
    """Every line of a workflow that names an action."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.strip().removeprefix("- ") for line in lines if "uses:" in line]


def permissions() -> dict[tuple[str, str], str]:
    """Workflow and job -> its permissions, as the guide writes them."""
    return {
        (name, job): ", ".join(f"{what}: {how}" for what, how in sorted(content["permissions"].items()))
        for name in NAMES
        for job, content in jobs(name).items()
    }


def test_the_guide_names_the_permissions_of_every_job() -> None:
    text = (REPOSITORY / "docs" / "workflows.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)` \| `([^`]+)` \|", text, re.MULTILINE)
    assert {(name, job): granted for name, job, granted in rows} == permissions()


def test_whatever_asks_a_cluster_runs_where_the_repository_says_and_nothing_else_does() -> None:
    chosen = {
        (name, job): content["runs-on"]
        for name in NAMES
        for job, content in jobs(name).items()
        if "vars." in content.get("runs-on", "")
    }
    # A job with credentials of the cloud reads or changes the cluster, whose API server may be private.
    asks = {place for place, granted in permissions().items() if "id-token: write" in granted}
    assert set(chosen) == asks - {("deploy.yml", "stack")}
    [runner] = set(chosen.values())
    assert "vars.CODEBUILD_PROJECT" in runner
    assert "vars.DEPLOYMENT_RUNNER || 'ubuntu-24.04'" in runner


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_grants_nothing_and_each_job_what_it_needs(name: str) -> None:
    assert workflow(name)["permissions"] == {}
    assert all("permissions" in job for job in jobs(name).values())


def test_every_job_ends_by_itself() -> None:
    minutes = [
        job.get("timeout-minutes") for name in NAMES for job in jobs(name).values() if "uses" not in job
    ]
    assert max(map(int, minutes)) <= 110


def test_a_checkout_leaves_no_token_behind_and_takes_the_commit_of_the_event_alone() -> None:
    checkouts = [
        each["with"]
        for name in NAMES
        for each in steps(name)
        if each.get("uses", "").startswith("actions/checkout@")
    ]
    # The preview reads both sides, and `diff` refuses a shallow clone.
    deep = {"fetch-depth": "0", "persist-credentials": "false"}
    assert [each for each in checkouts if each != {"persist-credentials": "false"}] == [deep]


def test_no_text_of_an_event_is_pasted_into_a_script() -> None:
    """A branch may be called `$(curl …)`; variables of the environment are no code."""
    assert [each["run"] for name in NAMES for each in steps(name) if "${{" in each.get("run", "")] == []


def test_what_runs_code_of_a_pull_request_may_only_read() -> None:
    checked = [name for name in NAMES if "pull_request" in workflow(name)["on"]]
    assert checked == ["ci.yml", "preview.yml"]
    granted = {granted for (name, _), granted in permissions().items() if name in checked}
    assert granted == {"contents: read"}
    for name in checked:
        assert "secrets." not in (FOLDER / name).read_text(encoding="utf-8")
        assert not [job for job in jobs(name).values() if "environment" in job]


def test_only_the_comment_is_written_by_a_workflow_with_rights_and_follows_the_preview() -> None:
    """By its name: a workflow that is renamed would never be followed, and nothing would say so."""
    assert [name for name in NAMES if PRIVILEGED & set(workflow(name)["on"])] == ["comment.yml"]
    assert workflow("comment.yml")["on"]["workflow_run"]["workflows"] == [workflow("preview.yml")["name"]]


def test_the_workflow_that_writes_the_comment_checks_nothing_out_and_runs_no_action() -> None:
    [job] = jobs("comment.yml").values()
    assert [sorted(each) for each in job["steps"]] == [["env", "name", "run", "shell"]]
    assert uses("comment.yml") == []


@pytest.mark.parametrize("name", ["deploy.yml", "deploy-stack.yml", "drift.yml"])
def test_what_has_credentials_runs_the_default_branch_and_nothing_else(name: str) -> None:
    assert set(workflow(name)["on"]) <= {"push", "schedule", "workflow_dispatch", "workflow_call"}
    assert workflow(name)["on"].get("push", {"branches": ["main"]}) == {"branches": ["main"]}


def test_every_action_is_pinned_by_one_commit_everywhere_and_says_its_version() -> None:
    pins: dict[str, set[str]] = {}
    for line in (line for name in NAMES for line in uses(name)):
        if line.startswith("uses: ./.github/workflows/deploy-stack.yml"):
            continue
        found = _ACTION.fullmatch(line)
        assert found, line
        owner_and_name = "/".join(found[1].split("/")[:2])
        pins.setdefault(owner_and_name, set()).add(found[2])
    assert {action: len(commits) for action, commits in pins.items() if len(commits) > 1} == {}


def test_credentials_last_longer_than_the_update_that_uses_them() -> None:
    job = jobs("deploy-stack.yml")["up"]
    seconds = [each["with"].get("role-duration-seconds") for each in job["steps"] if "with" in each]
    assert int(job["timeout-minutes"]) * 60 < int(next(filter(None, seconds)))


def test_an_update_needs_a_preview_and_an_environment_and_is_never_cancelled() -> None:
    [deployment] = jobs("deploy.yml").values()
    assert deployment["concurrency"] == {
        "group": "deploy-${{ matrix.stack }}",
        "cancel-in-progress": "false",
    }
    up, preview = (jobs("deploy-stack.yml")[name] for name in ("up", "preview"))
    assert (up["needs"], up["environment"]) == ("preview", "${{ inputs.stack }}")
    assert preview["environment"] == "${{ inputs.stack }}-preview"


def test_the_engine_is_the_one_that_the_tests_run_on() -> None:
    versions = {
        each["with"]["pulumi-version"]
        for name in NAMES
        for each in steps(name)
        if "pulumi-version" in each.get("with", {})
    }
    assert versions == {PULUMI_VERSION}
