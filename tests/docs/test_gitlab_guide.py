"""The pipeline of docs/gitlab-ci.md is one that GitLab's schema accepts, and its script writes one note."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

from lab.directory import REPOSITORY
from lab.toolchain.tools import PULUMI_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

GUIDE = (REPOSITORY / "docs" / "gitlab-ci.md").read_text(encoding="utf-8")
ME, SOMEBODY = 1, 2
TOKEN = "token-of-the-project"


def pipeline_text() -> str:
    [file] = re.findall(r"^\$ cp (\S+) \.gitlab-ci\.yml", GUIDE, re.MULTILINE)
    return (REPOSITORY / file).read_text(encoding="utf-8")


def test_the_guide_names_every_job_of_the_pipeline() -> None:
    jobs = yaml.safe_load(pipeline_text())
    named = re.findall(r"`([a-z]+)`", GUIDE.partition("| job |")[2].partition("\n\n")[0])
    assert {*named} >= {name for name, job in jobs.items() if isinstance(job, dict) and "script" in job}


def schema_check(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    file = folder / ".gitlab-ci.yml"
    file.write_text(text, encoding="utf-8")
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [program, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_the_pipeline_is_valid_by_gitlab_s_schema(tmp_path: Path) -> None:
    answer = schema_check(tmp_path, pipeline_text())
    assert (answer.returncode, answer.stderr) == (0, ""), answer.stdout


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("expose_as:", "exposed_as:"),
        ("when: manual", "when: by hand"),
        ("interruptible: true", "interruptible: 7"),
    ],
)
def test_the_schema_finds_a_mistake(tmp_path: Path, right: str, wrong: str) -> None:
    assert right in pipeline_text()
    assert schema_check(tmp_path, pipeline_text().replace(right, wrong)).returncode == 1


def test_a_job_that_runs_a_merge_request_s_code_has_no_credentials() -> None:
    jobs = yaml.safe_load(pipeline_text())
    rules = {name: str(job["rules"]) for name, job in jobs.items() if "rules" in job}
    asked = {name for name, rule in rules.items() if "merge_request_event" in rule} - {"workflow"}
    assert asked == {"compare", "note"}
    assert not [name for name in asked if {"id_tokens", "extends", "environment"} & set(jobs[name])]


ISSUER = "gitlab.com"


def trusts() -> list[dict[str, Any]]:
    """The conditions of the roles' trust policies: of the one that deploys, then of the one that previews."""
    texts = re.findall(r"^```json\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    statements = [statement for text in texts for statement in json.loads(text)["Statement"]]
    assert {each["Action"] for each in statements} == {"sts:AssumeRoleWithWebIdentity"}
    return [each["Condition"] for each in statements]


def subject_of(job: dict[str, Any]) -> str:
    """What GitLab writes into the token of a job on main: the components in order, with their values."""
    found = re.search(r'"ci_id_token_sub_claim_components": (\[.*?\])', GUIDE)
    assert found is not None
    values = {"project_path": "GROUP/PROJECT", "ref_type": "branch", "ref": "main"}
    values["deployment_tier"] = job["environment"]["deployment_tier"]
    return ":".join(f"{name}:{values[name]}" for name in json.loads(found[1]))


def test_each_role_trusts_one_subject_and_that_of_no_other() -> None:
    deployer, previewer = trusts()
    for condition in (deployer, previewer):
        assert condition.keys() == {"StringEquals"}
        assert condition["StringEquals"].keys() == {f"{ISSUER}:aud", f"{ISSUER}:sub"}
    subjects = [condition["StringEquals"][f"{ISSUER}:sub"] for condition in (deployer, previewer)]
    assert len(set(subjects)) == 2
    assert not [subject for subject in subjects if not isinstance(subject, str) or "*" in subject]


def test_the_jobs_have_the_subjects_of_their_roles() -> None:
    jobs = yaml.safe_load(pipeline_text())
    deployer, previewer = (condition["StringEquals"][f"{ISSUER}:sub"] for condition in trusts())
    taking = {
        name
        for name, job in jobs.items()
        if isinstance(job, dict) and ".credentials" in job.get("extends", [])
    }
    assert {name: subject_of(jobs[name]) for name in taking} == {
        "up": deployer,
        "preview": previewer,
        "drift": previewer,
    }


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


@contextmanager
def served() -> Iterator[FakeGitLab]:
    gitlab = FakeGitLab()
    server = make_server("127.0.0.1", 0, application(gitlab), threaded=True)
    gitlab.url = f"http://127.0.0.1:{server.server_port}"
    # Its default is half a second, which every test would wait for at its end.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield gitlab
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
    with served() as project:
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


def test_a_comparison_becomes_a_note(gitlab: FakeGitLab, tmp_path: Path) -> None:
    assert run_note(gitlab, tmp_path, "text") == (0, "The merge request has its note.\n")
    [note] = gitlab.notes
    assert note["body"] == "<!-- dynamo-stack preview: pipeline 50 -->\n\ntext"


def test_the_next_comparison_edits_the_note_behind_hundreds(gitlab: FakeGitLab, tmp_path: Path) -> None:
    for number in range(230):
        gitlab.note(f"chat {number}", SOMEBODY)
    run_note(gitlab, tmp_path, "first")
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
