"""The pipeline of docs/gitlab-ci.md is one that GitLab's schema accepts, and its script writes one note."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask, jsonify, request

from lab.toolchain.tools import PULUMI_VERSION
from tests.docs.guide import text_of
from tests.support.loopback import served

GUIDE = text_of("docs/gitlab-ci.md")
ME, SOMEBODY = 1, 2
TOKEN = "token-of-the-project"


def pipeline_text() -> str:
    [file] = re.findall(r"^\$ cp (\S+) \.gitlab-ci\.yml", GUIDE, re.MULTILINE)
    return text_of(file)


def jobs() -> dict[str, Any]:
    """The jobs of the pipeline and what they share, by name."""
    found = yaml.safe_load(pipeline_text())
    return {name: job for name, job in found.items() if isinstance(job, dict)}


@pytest.mark.parametrize(
    ("right", "wrong", "code"), [("", "", 0), ("expose_as:", "exposed_as:", 1)], ids=["as it is", "mistake"]
)
def test_the_pipeline_is_valid_by_gitlab_s_schema(tmp_path: Path, right: str, wrong: str, code: int) -> None:
    file = tmp_path / ".gitlab-ci.yml"
    file.write_text(pipeline_text().replace(right, wrong), encoding="utf-8")
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [program, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", str(file)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (answer.returncode, answer.stderr) == (code, ""), answer.stdout


def test_a_job_that_runs_a_merge_request_s_code_has_no_credentials() -> None:
    rules = {name: str(job["rules"]) for name, job in jobs().items() if "rules" in job}
    asked = {name for name, rule in rules.items() if "merge_request_event" in rule} - {"workflow"}
    assert asked == {"compare", "note"}
    assert not [name for name in asked if {"id_tokens", "extends", "environment"} & set(jobs()[name])]


def trusted_subjects() -> tuple[str, ...]:
    """Whom the roles' trust policies name: the one that deploys, then the one that previews."""
    texts = re.findall(r"^```json\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    statements = [statement for text in texts for statement in json.loads(text)["Statement"]]
    assert {each["Action"] for each in statements} == {"sts:AssumeRoleWithWebIdentity"}
    conditions = [each["Condition"] for each in statements]
    for condition in conditions:
        assert condition.keys() == {"StringEquals"}
        assert condition["StringEquals"].keys() == {"gitlab.com:aud", "gitlab.com:sub"}
    return tuple(condition["StringEquals"]["gitlab.com:sub"] for condition in conditions)


def subject_of(job: dict[str, Any]) -> str:
    """What GitLab writes into the token of a job on main: the components in order, with their values."""
    found = re.search(r'"ci_id_token_sub_claim_components": (\[.*?\])', GUIDE)
    assert found is not None
    values = {"project_path": "GROUP/PROJECT", "ref_type": "branch", "ref": "main"}
    values["deployment_tier"] = job["environment"]["deployment_tier"]
    return ":".join(f"{name}:{values[name]}" for name in json.loads(found[1]))


def test_each_role_trusts_the_jobs_that_take_it_and_no_other() -> None:
    deployer, previewer = trusted_subjects()
    assert deployer != previewer
    assert "*" not in deployer + previewer
    taking = {
        name: subject_of(job) for name, job in jobs().items() if ".credentials" in job.get("extends", [])
    }
    assert taking == {"up": deployer, "preview": previewer, "drift": previewer}


def test_the_engine_is_the_one_that_the_tests_run_on() -> None:
    assert re.findall(r"--version (\S+)", pipeline_text()) == [PULUMI_VERSION]


@dataclass
class FakeGitLab:
    """The notes of merge request 3 of project 9."""

    url: str = ""
    notes: list[dict[str, Any]] = field(default_factory=list)

    def note(self, body: str, author: int) -> dict[str, Any]:
        made = {"id": 100 + len(self.notes), "body": body, "author": {"id": author}}
        self.notes.append(made)
        return made


def application(gitlab: FakeGitLab) -> Flask:
    app = Flask("fake_gitlab")
    notes = "/projects/9/merge_requests/3/notes"

    @app.before_request
    def authorize() -> tuple[str, int] | None:
        return None if request.headers.get("PRIVATE-TOKEN") == TOKEN else ("401 Unauthorized", 401)

    @app.get("/user")
    def user() -> Any:
        return jsonify(id=ME)

    @app.get(notes)
    def listed() -> Any:
        size, page = int(request.args["per_page"]), int(request.args["page"])
        answer = jsonify(gitlab.notes[(page - 1) * size : page * size])
        answer.headers["x-next-page"] = str(page + 1) if page * size < len(gitlab.notes) else ""
        return answer

    @app.post(notes)
    def create() -> Any:
        return jsonify(gitlab.note(request.get_json()["body"], ME)), 201

    @app.put(f"{notes}/<int:number>")
    def edit(number: int) -> Any:
        [found] = [each for each in gitlab.notes if each["id"] == number]
        found["body"] = request.get_json()["body"]
        return jsonify(found)

    return app


@pytest.fixture
def gitlab() -> Iterator[FakeGitLab]:
    project = FakeGitLab()
    with served(application(project)) as project.url:
        yield project


def run_note(
    gitlab: FakeGitLab, folder: Path, text: str | None, *, pipeline: int = 50, token: str = TOKEN
) -> tuple[int, str]:
    """The job `note` after a comparison that has left this text; its exit code and its log."""
    if text is not None:
        (folder / "comparison").mkdir(exist_ok=True)
        (folder / "comparison" / "comment.md").write_text(text)
    script = yaml.safe_load(pipeline_text())["note"]["script"][0]
    program = script.partition("<<'END'\n")[2].partition("\nEND")[0]
    environment = {
        "PATH": os.environ["PATH"],
        "CI_API_V4_URL": gitlab.url,
        "CI_PROJECT_ID": "9",
        "CI_MERGE_REQUEST_IID": "3",
        "CI_PIPELINE_ID": str(pipeline),
        "NOTE_TOKEN": token,
    }
    command = [sys.executable, "-c", program]
    answer = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return answer.returncode, answer.stdout + answer.stderr


def test_a_comparison_becomes_a_note_that_the_next_one_edits_behind_hundreds(
    gitlab: FakeGitLab, tmp_path: Path
) -> None:
    for number in range(230):
        gitlab.note(f"chat {number}", SOMEBODY)
    assert run_note(gitlab, tmp_path, "first") == (0, "The merge request has its note.\n")
    assert gitlab.notes[-1]["body"] == "<!-- dynamo-stack preview: pipeline 50 -->\n\nfirst"
    assert run_note(gitlab, tmp_path, "second", pipeline=51) == (0, "The note is edited.\n")
    assert len(gitlab.notes) == 231
    assert gitlab.notes[-1]["body"].endswith("pipeline 51 -->\n\nsecond")


def test_an_older_pipeline_leaves_the_note_of_a_newer_one(gitlab: FakeGitLab, tmp_path: Path) -> None:
    run_note(gitlab, tmp_path, "new", pipeline=52)
    code, log = run_note(gitlab, tmp_path, "old", pipeline=51)
    assert (code, log) == (0, "Nothing is written: a newer pipeline has written the note.\n")
    assert gitlab.notes[0]["body"].endswith("new")


def test_a_marker_of_somebody_else_is_left_alone(gitlab: FakeGitLab, tmp_path: Path) -> None:
    gitlab.note("<!-- dynamo-stack preview: pipeline 99 -->\n\nall is well", SOMEBODY)
    run_note(gitlab, tmp_path, "the truth")
    assert [note["body"].rpartition("\n")[2] for note in gitlab.notes] == ["all is well", "the truth"]


def test_a_comparison_that_is_too_long_is_a_line_that_says_so(gitlab: FakeGitLab, tmp_path: Path) -> None:
    run_note(gitlab, tmp_path, "x" * 60_001)
    assert gitlab.notes[0]["body"].endswith("too long for a note; the job has it.")


@pytest.mark.parametrize(
    ("text", "token", "words"),
    [
        (None, TOKEN, "The job compare has left no comment."),
        ("text", "wrong", "GitLab did not take the note: HTTP Error 401: UNAUTHORIZED; run this job again."),
    ],
)
def test_a_note_that_cannot_be_written_ends_in_a_sentence(
    gitlab: FakeGitLab, tmp_path: Path, text: str | None, token: str, words: str
) -> None:
    assert run_note(gitlab, tmp_path, text, token=token) == (1, f"{words}\n")
