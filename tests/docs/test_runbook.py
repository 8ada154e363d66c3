"""The runbook as a whole: every page is complete, can be found, and can be typed."""

import itertools
import re
import shlex
from pathlib import Path

import pytest

from components.cluster_reader import ClusterReader
from failures.failed_operation import EXPLAINED_KINDS, explanation
from tests.failures.conftest import failure
from tests.support.runbook import HEADINGS, INDEX, RUNBOOK, assignments, commands, pages

# What `make shell` finds on its PATH; of AWS's command, it has one that gets tokens.
PROGRAMS = {"kubectl", "helm", "pulumi", "dynamo-stack", "aws"}
LINK = re.compile(r"\]\(([^)#]+)\)")


def test_a_page_says_what_is_seen_what_happened_and_what_to_type_and_is_in_the_index() -> None:
    index = (RUNBOOK / INDEX).read_text(encoding="utf-8")
    for page in pages():
        text = (RUNBOOK / f"{page}.md").read_text(encoding="utf-8")
        assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == HEADINGS, page
        assert commands(page), page
        assert f"({page}.md)" in index


def test_every_command_of_a_page_is_one_that_a_person_has() -> None:
    for page in pages():
        for command in commands(page):
            assert assignments(shlex.split(command))[1][0] in PROGRAMS, f"{page}: {command}"


def test_a_page_links_to_files_that_exist() -> None:
    for file in RUNBOOK.glob("*.md"):
        for target in LINK.findall(file.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (RUNBOOK / target).exists(), f"{file.name}: {target}"


def test_a_message_of_a_wait_names_a_page_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    inputs = {"name": "some", "namespace": "there", "metadata": {"name": "some", "namespace": "there"}}
    errors = ("timed out waiting for the condition", "failed calling webhook", "connection refused")
    for kind, operation in itertools.product(sorted(EXPLAINED_KINDS), ("create", "delete")):
        said = [
            explanation(ClusterReader("somewhere"), failure(kind, inputs, error, operation))
            for error in errors
        ]
        named = re.findall(r"docs/runbook/(.+)\.md", "\n".join(text for text in said if text))
        assert named, f"{operation} {kind}"
        assert {*named} <= {*pages(), "README"}
