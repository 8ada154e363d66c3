"""comment.yml: one comment of a pull request, created and edited in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflows.fake_github import BOT, FakeGitHub, Refusal
from tests.workflows.preview_run import HEAD, PULL, RUN_URL, PreviewRun

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "**2 stacks change.**\n\n```text\n@someone <b>and</b> `more`\n```\n"


@pytest.fixture
def preview(github: FakeGitHub, tmp_path: Path) -> PreviewRun:
    made = PreviewRun(github, tmp_path)
    made.opens("Pulumi.dev.yaml")
    return made


def marked(run: int, attempt: int, text: str = "before") -> str:
    return f"<!-- dynamo-stack preview: run {run} attempt {attempt} -->\n{text}"


def test_what_a_preview_says_becomes_a_comment_letter_by_letter(preview: PreviewRun) -> None:
    preview.uploads(TEXT)
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, "Pull request 7 has its comment.\n")
    [body] = preview.bodies
    assert body.endswith(f"\n\n{TEXT}")
    assert f"Preview of {HEAD}: [run]({RUN_URL})" in body


def test_the_next_preview_edits_the_comment_in_place(preview: PreviewRun) -> None:
    preview.uploads("first")
    preview.comments()
    preview.run = 501
    preview.uploads("second")
    assert preview.comments().code == 0
    [body] = preview.bodies
    assert body.endswith("second")
    assert "first" not in body


def test_the_comment_is_found_among_hundreds_of_others(preview: PreviewRun) -> None:
    for number in range(250):
        preview.github.comment(PULL, f"chat {number}", "someone")
        if number == 210:
            preview.github.comment(PULL, marked(499, 1))
    preview.uploads("after")
    assert "edited" in preview.comments().log
    assert len(preview.bodies) == 251
    assert preview.bodies[211].endswith("after")


@pytest.mark.parametrize(("run", "attempt"), [(501, 1), (500, 2)])
def test_an_older_run_leaves_what_a_newer_one_wrote(preview: PreviewRun, run: int, attempt: int) -> None:
    preview.github.comment(PULL, marked(run, attempt))
    preview.uploads("late")
    assert "a newer run has written there" in preview.comments().log
    assert preview.bodies == [marked(run, attempt)]


def test_a_second_attempt_of_the_same_run_overwrites_the_first(preview: PreviewRun) -> None:
    preview.github.comment(PULL, marked(500, 1))
    preview.attempt = 2
    preview.uploads("of the first attempt")
    preview.uploads("of the second attempt")
    preview.comments()
    [body] = preview.bodies
    assert body.endswith("of the second attempt")


def test_a_deleted_comment_is_made_again(preview: PreviewRun) -> None:
    preview.uploads("first")
    preview.comments()
    preview.github.comments[PULL].clear()
    preview.comments()
    assert len(preview.bodies) == 1


def test_a_comment_that_is_deleted_while_it_is_edited_is_made_again(preview: PreviewRun) -> None:
    own = preview.github.comment(PULL, marked(499, 1))
    gone = preview.github.comments[PULL].clear
    preview.github.refusals.append(Refusal("PATCH", f"/comments/{own['id']}", 404, meanwhile=gone))
    preview.uploads("after")
    assert preview.comments().code == 0
    [body] = preview.bodies
    assert body.endswith("after")


@pytest.mark.parametrize("author", ["mallory", "github-actions"])
def test_a_marker_that_somebody_else_wrote_is_left_alone(preview: PreviewRun, author: str) -> None:
    preview.github.comment(PULL, marked(999, 9, "all is well"), author)
    preview.uploads("the truth")
    preview.comments()
    forged, own = preview.bodies
    assert forged == marked(999, 9, "all is well")
    assert own.endswith("the truth")


def test_a_comment_of_the_bot_that_quotes_the_marker_is_left_alone(preview: PreviewRun) -> None:
    quoting = f"Somebody wrote: {marked(1, 1)}"
    preview.github.comment(PULL, quoting, BOT)
    preview.uploads("new")
    preview.comments()
    assert preview.bodies[0] == quoting
    assert len(preview.bodies) == 2


def test_a_closed_pull_request_gets_no_comment(preview: PreviewRun) -> None:
    preview.github.pulls[PULL]["state"] = "closed"
    preview.uploads("late")
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, "Nothing is written to pull request 7: it is closed.\n")
    assert preview.bodies == []


def test_a_pull_request_that_has_moved_on_gets_no_comment_of_the_older_commit(preview: PreviewRun) -> None:
    preview.github.pulls[PULL]["head"]["sha"] = "2e" * 20
    preview.uploads("late")
    assert "it has newer commits" in preview.comments().log
    assert preview.bodies == []


@pytest.mark.parametrize("head", [{"repo": {"id": 1}}, {"repo": None}, {"ref": "another"}])
def test_an_artifact_cannot_name_somebody_else_s_pull_request(
    preview: PreviewRun, head: dict[str, object]
) -> None:
    """Even with the same commit, which anybody can push to a branch of their own."""
    preview.github.pulls[PULL]["head"].update(head)
    preview.uploads("not yours")
    assert "the run was for another branch" in preview.comments().log
    assert preview.bodies == []


def test_pages_and_json_of_the_run_are_linked(preview: PreviewRun) -> None:
    preview.github.upload("comparison", b"never fetched")
    preview.uploads("text")
    preview.comments()
    number = preview.github.artifacts[0]["id"]
    assert f"[pages of both sides and JSON]({RUN_URL}/artifacts/{number})" in preview.bodies[0]
    assert f"/store/{number}" not in preview.github.sent("GET")


@pytest.mark.parametrize(
    "files",
    [["cli/diff.py"], [".github/workflows/preview.yml", "requirements.txt"], ["Pulumi.yaml"]],
    ids=str,
)
def test_a_pull_request_that_changes_code_is_said_to_have_written_its_own_comment(
    preview: PreviewRun, files: list[str]
) -> None:
    preview.opens("Pulumi.dev.yaml", *files)
    preview.uploads("all is well")
    preview.comments()
    [body] = preview.bodies
    warning, _, text = body.partition("all is well")
    number = "1 file" if len(files) == 1 else f"{len(files)} files"
    assert f"changes {number} of code, requirements or workflows" in warning
    assert text == ""


def test_code_that_is_renamed_to_a_document_is_still_code(preview: PreviewRun) -> None:
    preview.github.files[PULL] = [{"filename": "docs/diff.md", "previous_filename": "cli/diff.py"}]
    preview.uploads("text")
    preview.comments()
    assert "changes 1 file of code" in preview.bodies[0]


def test_code_is_found_behind_a_hundred_documents(preview: PreviewRun) -> None:
    preview.opens(*(f"docs/{number}.md" for number in range(150)), "Makefile")
    preview.uploads("text")
    preview.comments()
    assert "changes 1 file of code" in preview.bodies[0]


def test_files_that_github_does_not_list_count_as_code(preview: PreviewRun) -> None:
    """It lists 3,000; a pull request could put its code behind as many documents."""
    preview.github.pulls[PULL]["changed_files"] = 4
    preview.uploads("text")
    preview.comments()
    assert "changes 3 files of code" in preview.bodies[0]


def test_stack_files_recipes_and_documents_are_not_code(preview: PreviewRun) -> None:
    preview.opens("Pulumi.dev.yaml", "recipes/catalogue/gpt-oss-120b/a.yaml", "docs/a.md", "README.md")
    preview.uploads("text")
    preview.comments()
    assert "code" not in preview.bodies[0]
