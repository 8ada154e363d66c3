"""comment.yml reads an artifact that a pull request's own code has written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.workflows.preview_run import PULL, zipped

if TYPE_CHECKING:
    from tests.workflows.preview_run import PreviewRun

DETAILS = json.dumps({"number": PULL})


def test_an_artifact_that_is_too_large_is_not_even_fetched(preview: PreviewRun) -> None:
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


BROKEN = {
    "no archive": b"no archive",
    "no number": zipped({"comment.md": "text"}),
    "no comment": zipped({"pull-request.json": DETAILS}),
    "no JSON": zipped({"comment.md": "text", "pull-request.json": "not json"}),
    "a list": zipped({"comment.md": "text", "pull-request.json": "[]"}),
    "an empty mapping": zipped({"comment.md": "text", "pull-request.json": "{}"}),
    "depth": zipped({"comment.md": "text", "pull-request.json": "[" * 1_900}),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_artifact_ends_in_a_sentence(preview: PreviewRun, content: bytes) -> None:
    preview.github.upload("comment", content)
    ended = preview.comments()
    assert ended.code == 1
    assert ended.log.startswith("The artifact is not what preview.yml writes: ")
    assert "Traceback" not in ended.log


@pytest.mark.parametrize("number", ["7", "7/../8", -7, 0, True, 7.0, None])
def test_a_number_that_is_none_ends_in_a_sentence(preview: PreviewRun, number: object) -> None:
    preview.uploads("text", number=number)
    ended = preview.comments()
    assert (ended.code, ended.log) == (1, "The artifact names no pull request.\n")
    assert preview.bodies == []


def test_a_run_without_an_artifact_is_no_mistake(preview: PreviewRun) -> None:
    ended = preview.comments()
    assert (ended.code, ended.log) == (0, "The preview has uploaded no comment.\n")


def test_bytes_that_are_no_text_become_replacement_characters(preview: PreviewRun) -> None:
    preview.github.upload("comment", zipped({"comment.md": b"a\xffb", "pull-request.json": DETAILS}))
    assert preview.comments().code == 0
    assert preview.bodies[0].endswith("a\N{REPLACEMENT CHARACTER}b")


def test_the_store_of_artifacts_does_not_see_the_token(preview: PreviewRun) -> None:
    preview.uploads("text")
    preview.comments()
    [fetched] = [each for each in preview.github.requests if each.path.startswith("/store")]
    assert not fetched.is_authorized
