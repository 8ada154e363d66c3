"""comment.yml: one comment of a pull request, edited in place, of an artifact that nobody has to trust."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.workflows.fake_github import BOT, HEAD, PULL, RUN_URL, PreviewRun, Refusal, zipped

TEXT = "**2 stacks change.**\n\n```text\n@someone <b>and</b> `more`\n```\n"


def marked(run: int, attempt: int, text: str = "before") -> str:
    return f"<!-- dynamo-stack preview: run {run} attempt {attempt} -->\n{text}"


def test_what_a_preview_says_becomes_a_comment_letter_by_letter(preview: PreviewRun) -> None:
    preview.uploads(TEXT)
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, "Pull request 7 has its comment.\n")
    [body] = preview.bodies
    assert body.endswith(f"\n\n{TEXT}")
    assert f"Preview of {HEAD}: [run]({RUN_URL})" in body


def test_the_next_preview_edits_the_comment_in_place_among_hundreds_of_others(preview: PreviewRun) -> None:
    for number in range(210):
        preview.github.comment(PULL, f"chat {number}", "someone")
    preview.uploads("first")
    preview.comments()
    preview.run = 501
    preview.uploads("second")
    assert "edited" in preview.comments().log
    assert len(preview.bodies) == 211
    assert preview.bodies[-1].endswith("second")
    assert "first" not in preview.bodies[-1]


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


def test_a_comment_that_is_deleted_while_it_is_edited_is_made_again(preview: PreviewRun) -> None:
    own = preview.github.comment(PULL, marked(499, 1))
    gone = preview.github.comments[PULL].clear
    preview.github.refusals.append(Refusal("PATCH", f"/comments/{own['id']}", 404, meanwhile=gone))
    preview.uploads("after")
    assert preview.comments().code == 0
    [body] = preview.bodies
    assert body.endswith("after")


def test_a_marker_that_somebody_else_wrote_or_that_is_quoted_is_left_alone(preview: PreviewRun) -> None:
    forged, quoting = marked(999, 9, "all is well"), f"Somebody wrote: {marked(1, 1)}"
    preview.github.comment(PULL, forged, "mallory")
    preview.github.comment(PULL, forged, "github-actions")
    preview.github.comment(PULL, quoting, BOT)
    preview.uploads("the truth")
    preview.comments()
    *others, own = preview.bodies
    assert others == [forged, forged, quoting]
    assert own.endswith("the truth")


@pytest.mark.parametrize(
    ("pull", "reason"),
    [
        pytest.param({"state": "closed"}, "it is closed", id="closed"),
        pytest.param({"sha": "2e" * 20}, "it has newer commits", id="moved on"),
        # Even with the same commit, which anybody can push to a branch of their own.
        pytest.param({"repo": {"id": 1}}, "the run was for another branch", id="another repository"),
        pytest.param({"repo": None}, "the run was for another branch", id="a repository that is gone"),
        pytest.param({"ref": "another"}, "the run was for another branch", id="another branch"),
    ],
)
def test_a_pull_request_that_the_run_was_not_for_gets_no_comment(
    preview: PreviewRun, pull: Mapping[str, Any], reason: str
) -> None:
    found = preview.github.pulls[PULL]
    found["state"] = pull.get("state", "open")
    found["head"] |= {key: value for key, value in pull.items() if key != "state"}
    preview.uploads("not yours")
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, f"Nothing is written to pull request 7: {reason}.\n")
    assert preview.bodies == []


def test_pages_and_json_of_the_run_are_linked(preview: PreviewRun) -> None:
    preview.github.upload("comparison", b"never fetched")
    preview.uploads("text")
    preview.comments()
    number = preview.github.artifacts[0]["id"]
    assert f"[pages of both sides and JSON]({RUN_URL}/artifacts/{number})" in preview.bodies[0]
    assert f"/store/{number}" not in preview.github.sent("GET")


DOCUMENTS = [{"filename": f"docs/{number}.md"} for number in range(150)]


@pytest.mark.parametrize(
    ("files", "changed", "warning"),
    [
        pytest.param([{"filename": "cli/diff.py"}], 1, "changes 1 file of code", id="code"),
        pytest.param(
            [{"filename": ".github/workflows/preview.yml"}, {"filename": "requirements.txt"}],
            2,
            "changes 2 files of code, requirements or workflows",
            id="workflows",
        ),
        pytest.param([{"filename": "Pulumi.yaml"}], 1, "changes 1 file of code", id="the project"),
        pytest.param(
            [{"filename": "docs/diff.md", "previous_filename": "cli/diff.py"}],
            1,
            "changes 1 file of code",
            id="renamed to a document",
        ),
        pytest.param(
            [*DOCUMENTS, {"filename": "Makefile"}], 151, "changes 1 file of code", id="behind documents"
        ),
        # GitHub lists 3,000; a pull request could put its code behind as many documents.
        pytest.param([{"filename": "docs/a.md"}], 4, "changes 3 files of code", id="not listed"),
    ],
)
def test_a_pull_request_that_changes_code_is_said_to_have_written_its_own_comment(
    preview: PreviewRun, files: list[dict[str, str]], changed: int, warning: str
) -> None:
    preview.github.files[PULL] = files
    preview.github.pulls[PULL]["changed_files"] = changed
    preview.uploads("all is well")
    preview.comments()
    heading, _, rest = preview.bodies[0].partition("all is well")
    assert rest == ""
    assert warning in heading


def test_stack_files_recipes_and_documents_are_not_code(preview: PreviewRun) -> None:
    preview.opens("Pulumi.dev.yaml", "recipes/catalogue/gpt-oss-120b/a.yaml", "docs/a.md", "README.md")
    preview.uploads("text")
    preview.comments()
    assert "code" not in preview.bodies[0]


DETAILS = json.dumps({"number": PULL})


NOT_WRITTEN = "The artifact is not what preview.yml writes: "
REFUSED = {
    "no archive": (b"no archive", NOT_WRITTEN),
    "no number": (zipped({"comment.md": "text"}), NOT_WRITTEN),
    "no comment": (zipped({"pull-request.json": DETAILS}), NOT_WRITTEN),
    **{
        name: (zipped({"comment.md": "text", "pull-request.json": text}), NOT_WRITTEN)
        for name, text in (
            ("no JSON", "not json"),
            ("a list", "[]"),
            ("a mapping", "{}"),
            ("depth", "[" * 1_900),
        )
    },
    **{
        f"number {number!r}": (
            zipped({"comment.md": "text", "pull-request.json": json.dumps({"number": number})}),
            "The artifact names no pull request.\n",
        )
        for number in ("7", "7/../8", -7, 0, True, 7.0, None)
    },
}


@pytest.mark.parametrize(("content", "said"), REFUSED.values(), ids=REFUSED)
def test_an_artifact_that_nobody_can_use_ends_in_a_sentence(
    preview: PreviewRun, content: bytes, said: str
) -> None:
    preview.github.upload("comment", content)
    ended = preview.comments()
    assert ended.code == 1
    assert ended.log.startswith(said)
    assert "Traceback" not in ended.log
    assert preview.bodies == []


def test_an_artifact_that_is_too_large_is_not_even_fetched_and_none_is_no_mistake(
    preview: PreviewRun,
) -> None:
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, "The preview has uploaded no comment.\n")
    preview.github.upload("comment", b"", size=200_001)
    ended = preview.comments()
    assert (ended.code, ended.log) == (1, "The artifact has 200001 bytes; 200000 are read.\n")
    assert not [path for path in preview.github.sent("GET") if path.startswith("/store")]


def test_a_comment_of_the_largest_size_is_written_whole(preview: PreviewRun) -> None:
    preview.opens("cli/diff.py")
    preview.uploads("x" * 60_000)
    assert preview.comments().code == 0
    assert preview.bodies[0].endswith("x" * 60_000)


@pytest.mark.parametrize("size", [60_001, 50_000_000])
def test_a_larger_comment_is_a_line_that_says_so(preview: PreviewRun, size: int) -> None:
    """Of the larger one the archive has 50 KB: it is not unpacked to its end."""
    preview.uploads("x" * size)
    assert preview.comments().code == 0
    assert preview.bodies[0].endswith("\n\nThe comparison is longer than 60,000 bytes; the run has it.")


def test_bytes_that_are_no_text_become_replacement_characters(preview: PreviewRun) -> None:
    preview.github.upload("comment", zipped({"comment.md": b"a\xffb", "pull-request.json": DETAILS}))
    assert preview.comments().code == 0
    assert preview.bodies[0].endswith("a\N{REPLACEMENT CHARACTER}b")


def test_the_store_of_artifacts_does_not_see_the_token(preview: PreviewRun) -> None:
    preview.uploads("text")
    preview.comments()
    [fetched] = [each for each in preview.github.requests if each.path.startswith("/store")]
    assert not fetched.is_authorized
