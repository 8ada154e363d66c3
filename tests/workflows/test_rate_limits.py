"""What the scripts do when GitHub asks for a pause, or says no."""

from __future__ import annotations

import runpy
import time
from email.message import Message
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflows.fake_github import REPOSITORY, FakeGitHub, Refusal
from tests.workflows.preview_run import PULL, PreviewRun
from tests.workflows.workflow_files import step

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def preview(github: FakeGitHub, tmp_path: Path) -> PreviewRun:
    made = PreviewRun(github, tmp_path)
    made.opens("Pulumi.dev.yaml")
    made.uploads("text")
    return made


@pytest.mark.parametrize("status", [403, 429])
def test_a_pause_that_github_asks_for_is_kept(preview: PreviewRun, status: int) -> None:
    preview.github.refusals.append(Refusal("POST", "/comments", status, {"Retry-After": "17"}))
    ended = preview.comments()
    assert (ended.code, ended.pauses) == (0, (17,))
    assert len(preview.bodies) == 1


def test_a_used_up_hour_is_waited_for_until_it_ends(preview: PreviewRun) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 300)}
    preview.github.refusals.append(Refusal("GET", "/comments", 403, reset))
    ended = preview.comments()
    [pause] = ended.pauses
    assert ended.code == 0
    assert 200 < pause <= 300


def test_a_second_refusal_doubles_the_pause(preview: PreviewRun) -> None:
    again = [Refusal("GET", "/comments", 429, {"Retry-After": "17"}) for _ in range(2)]
    preview.github.refusals.extend(again)
    ended = preview.comments()
    assert (ended.code, ended.pauses) == (0, (17, 34))


def test_after_a_pause_nothing_is_written_that_has_become_old(preview: PreviewRun) -> None:
    def push() -> None:
        preview.github.pulls[PULL]["head"]["sha"] = "2e" * 20

    refusal = Refusal("POST", "/comments", 403, {"Retry-After": "0"}, meanwhile=push)
    preview.github.refusals.append(refusal)
    ended = preview.comments()
    assert (ended.code, preview.bodies) == (0, [])
    assert "it has newer commits" in ended.log


def test_a_pause_that_is_too_long_ends_the_job_with_what_to_do(preview: PreviewRun) -> None:
    preview.github.refusals.append(Refusal("POST", "/comments", 403, {"Retry-After": "3600"}))
    ended = preview.comments()
    assert ended.code == 1
    assert ended.log.endswith("The next try is due in 3600 s; run this job again then.\n")
    assert "Traceback" not in ended.log


def test_a_refusal_that_never_ends_ends_the_job(preview: PreviewRun) -> None:
    for _ in range(20):
        preview.github.refusals.append(Refusal("POST", "/comments", 403, {"Retry-After": "0"}))
    ended = preview.comments()
    assert (ended.code, ended.log) == (1, "GitHub did not answer 8 times; run this job again.\n")
    assert len(preview.github.sent("POST")) == 8


def test_a_missing_permission_is_said_at_once(preview: PreviewRun) -> None:
    words = "Resource not accessible by integration"
    preview.github.refusals.append(Refusal("POST", "/comments", 403, words=words))
    ended = preview.comments()
    assert ended.code == 1
    assert f"/issues/{PULL}/comments was answered 403" in ended.log
    assert words in ended.log
    assert len(preview.github.sent("POST")) == 1


def test_an_answer_that_is_lost_makes_no_second_comment(preview: PreviewRun) -> None:
    def write() -> None:
        preview.github.comment(PULL, "<!-- dynamo-stack preview: run 500 attempt 1 -->\n")

    preview.github.refusals.append(Refusal("POST", "/comments", 502, meanwhile=write))
    assert preview.comments().code == 0
    [body] = preview.bodies
    assert body.endswith("text")


PAUSES = [
    # method, status, headers, words, seconds
    ("POST", 403, {}, "You have exceeded a secondary rate limit.", 60),
    ("POST", 429, {}, "", 60),
    ("POST", 403, {"Retry-After": "30"}, "You have exceeded a secondary rate limit.", 30),
    ("GET", 502, {}, "", 2),
    ("PATCH", 404, {}, "Not Found", 0),
    ("GET", 404, {}, "Not Found", None),
    ("POST", 422, {}, "Validation Failed", None),
    ("POST", 403, {"X-RateLimit-Remaining": "4999"}, "Resource not accessible by integration", None),
]


@pytest.mark.parametrize("name", ["comment.yml", "drift.yml"])
@pytest.mark.parametrize(("method", "status", "headers", "words", "seconds"), PAUSES)
def test_the_pause_is_the_one_that_github_documents(
    functions: dict[str, dict[str, Any]],
    name: str,
    method: str,
    status: int,
    headers: dict[str, str],
    words: str,
    seconds: float | None,
) -> None:
    message = Message()
    for key, value in headers.items():
        message[key] = value
    assert functions[name]["pause"](method, status, message, words) == seconds


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """The functions of the scripts, for pauses of minutes, which no test can wait for."""
    monkeypatch.setenv("GITHUB_REPOSITORY", REPOSITORY)
    scripts = {"comment.yml": "Write the comment", "drift.yml": "Open or close the issue"}
    for name, title in scripts.items():
        (tmp_path / name).write_text(step(name, title)["run"])
    return {name: runpy.run_path(str(tmp_path / name)) for name in scripts}
