"""The shell steps of the workflows; programs in the place of the real ones write down what they are asked."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.workflows.preview_run import PreviewRun, zipped
from tests.workflows.workflow_files import Ended, run_step, steps

if TYPE_CHECKING:
    from tests.workflows.fake_github import FakeGitHub

_PROGRAM = """#!/bin/sh
echo "$@" >> "$RUNNER_TEMP/asked"
test -e "$RUNNER_TEMP/refuses$2" && exit 2
file=; previous=
for word in "$@"; do
  test "$previous" = --to && file=$word
  previous=$word
done
test -n "$file" && test -e "$RUNNER_TEMP/says" && cp "$RUNNER_TEMP/says" "$file"
test -n "$file" || test ! -e "$RUNNER_TEMP/says" || cat "$RUNNER_TEMP/says"
test -e "$RUNNER_TEMP/complains" && cat "$RUNNER_TEMP/complains" >&2
exit "$(cat "$RUNNER_TEMP/code")"
"""
_MAKE = """#!/bin/sh
mkdir -p "$2/.venv/bin" && cp "$CHECKOUT/.venv/bin/dynamo-stack" "$2/.venv/bin"
"""
_PULUMI = """#!/bin/sh
echo "$@" > "$RUNNER_TEMP/asked"
exit 255
"""


@dataclass(frozen=True)
class Runner:
    """A checkout of a pull request's merge on a machine of GitHub's."""

    checkout: Path
    temporary: Path
    base: str
    head: str
    merge: str

    def answers(self, code: int, says: str | None = None, complains: str | None = None) -> None:
        """How `dynamo-stack` ends from now on, and what it writes."""
        (self.temporary / "code").write_text(str(code))
        for name, text in {"says": says, "complains": complains}.items():
            file = self.temporary / name
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_text(text)

    def run(self, name: str, title: str, **contexts: str) -> Ended:
        environment = {
            "PATH": f"{self.temporary}:{os.environ['PATH']}",
            "CHECKOUT": str(self.checkout),
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_OUTPUT": str(self.temporary / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            "STACK": "mine",
        }
        return run_step(name, title, self.checkout, environment, contexts)

    def compare(self) -> Ended:
        pull = "github.event.pull_request"
        return self.run("preview.yml", "Compare", **{f"{pull}.number": "7", f"{pull}.head.sha": self.head})

    def verdict(self) -> Ended:
        code = self.written("output").partition("code=")[2].strip()
        return self.run("preview.yml", "Say the verdict", **{"steps.compare.outputs.code": code})

    def written(self, name: str) -> str:
        file = self.temporary / name
        return file.read_text() if file.exists() else ""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    checkout, temporary = tmp_path / "checkout", tmp_path / "temporary"
    temporary.mkdir()
    (checkout / ".venv" / "bin").mkdir(parents=True)
    programs = {checkout / ".venv" / "bin" / "dynamo-stack": _PROGRAM}
    programs |= {temporary / "make": _MAKE, temporary / "pulumi": _PULUMI}
    for program, text in programs.items():
        program.write_text(text)
        program.chmod(0o755)

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        command = ["git", "-C", str(checkout), *who, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def commit(name: str) -> str:
        (checkout / f"Pulumi.{name}.yaml").touch()
        git("add", "*.yaml")
        git("commit", "--quiet", "--message", name)
        return git("rev-parse", "HEAD")

    git("init", "--quiet", "--initial-branch", "main")
    commit("older")
    git("branch", "faster")
    base = commit("others")
    git("checkout", "--quiet", "faster")
    head = commit("faster")
    git("checkout", "--quiet", "--detach", "main")
    git("merge", "--quiet", "--no-ff", "--message", "merge", "faster")
    return Runner(checkout, temporary, base, head, git("rev-parse", "HEAD"))


def test_the_merge_is_compared_with_what_it_is_merged_into(runner: Runner) -> None:
    runner.answers(1, "the comment")
    assert runner.compare().code == 0
    revisions = f"diff {runner.base}..{runner.merge}"
    comment = runner.temporary / "comment" / "comment.md"
    comparison = runner.temporary / "comparison" / "diff.json"
    assert runner.written("asked").splitlines() == [
        f"{revisions} --format markdown --to {comment}",
        f"{revisions} --format json --to {comparison}",
    ]


def test_the_artifact_has_comment_number_and_commits(runner: Runner) -> None:
    runner.answers(0, "the comment")
    runner.compare()
    assert runner.written("comment/comment.md") == runner.written("summary") == "the comment"
    assert json.loads(runner.written("comment/pull-request.json")) == {
        "number": 7,
        "base": runner.base,
        "head": runner.head,
        "merge": runner.merge,
    }


def test_what_the_preview_uploads_is_what_the_comment_s_job_reads(runner: Runner, github: FakeGitHub) -> None:
    runner.answers(1, "the comment")
    runner.compare()
    [uploaded] = [
        each["with"] for each in steps("preview.yml") if each.get("with", {}).get("name") == "comment"
    ]
    folder = Path(uploaded["path"].replace("${{ runner.temp }}", str(runner.temporary)))
    run = PreviewRun(github, runner.temporary)
    run.opens("Pulumi.dev.yaml")
    github.upload("comment", zipped({file.name: file.read_bytes() for file in folder.iterdir()}))
    assert run.comments().code == 0
    assert run.bodies[0].endswith("\n\nthe comment")


@pytest.mark.parametrize(("code", "passes"), [(0, True), (1, True), (2, False), (3, False)])
def test_a_change_passes_and_a_broken_rule_does_not(runner: Runner, code: int, passes: bool) -> None:
    runner.answers(code, "the comment")
    assert runner.compare().code == 0
    assert (runner.verdict().code == 0) == passes


def test_a_comparison_that_fails_is_a_comment_with_its_last_words(runner: Runner) -> None:
    runner.answers(1, complains="`Pulumi.dev.yaml`: nothing to compare\n```\n@everyone\n")
    assert runner.compare().code == 0
    text = runner.written("comment/comment.md")
    assert text.startswith("The comparison failed:\n\n    `Pulumi.dev.yaml`: nothing to compare\n")
    assert all(line.startswith("    ") for line in text.splitlines()[2:])
    assert runner.verdict().code == 1


def test_a_long_complaint_still_fits_a_comment(runner: Runner) -> None:
    runner.answers(3, complains="line\n" * 100_000)
    runner.compare()
    assert len(runner.written("comment/comment.md")) < 60_000


def test_each_side_writes_a_page_of_each_of_its_stacks(runner: Runner) -> None:
    runner.answers(0, "page")
    assert runner.run("preview.yml", "Write the pages of both sides").code == 0
    pages = sorted((runner.temporary / "comparison").rglob("*.html"))
    assert [str(page.relative_to(runner.temporary / "comparison")) for page in pages] == [
        "base/older.html",
        "base/others.html",
        "head/faster.html",
        "head/older.html",
        "head/others.html",
    ]


def test_a_stack_without_a_page_is_named_and_the_others_have_theirs(runner: Runner) -> None:
    runner.answers(0, "page")
    (runner.temporary / "refusesolder").touch()
    ended = runner.run("preview.yml", "Write the pages of both sides")
    assert (ended.code, ended.log) == (0, "no page of older\n" * 2)
    assert len(list((runner.temporary / "comparison").rglob("*.html"))) == 3


def test_code_that_is_older_than_the_pages_has_none(runner: Runner) -> None:
    runner.answers(0, "page")
    (runner.temporary / "refuses--help").touch()
    ended = runner.run("preview.yml", "Write the pages of both sides")
    assert (ended.code, ended.log) == (0, "")
    assert not (runner.temporary / "comparison").exists()


@pytest.mark.parametrize(("code", "changes"), [(0, "false"), (1, "true")])
def test_only_a_preview_with_changes_is_put_before_a_reviewer(
    runner: Runner, code: int, changes: str
) -> None:
    runner.answers(code, "1 to update\n")
    ended = runner.run("deploy-stack.yml", "Preview")
    assert (ended.code, ended.log) == (0, "1 to update\n")
    assert runner.written("asked") == "preview mine\n"
    assert runner.written("output") == f"changes={changes}\n"
    assert runner.written("summary") == "    1 to update\n"


@pytest.mark.parametrize("code", [2, 3])
def test_a_preview_that_would_be_refused_ends_the_deployment(runner: Runner, code: int) -> None:
    runner.answers(code, "refused\n")
    ended = runner.run("deploy-stack.yml", "Preview")
    assert ended.code == 1
    assert ended.log.startswith("refused\n")
    assert runner.written("output") == ""


def test_an_update_that_fails_names_the_command_that_clears_up(runner: Runner) -> None:
    ended = runner.run("deploy-stack.yml", "Up")
    assert ended.code == 1
    assert ended.log.endswith("what to type: dynamo-stack recover mine\n")
    assert runner.written("asked") == "up --yes --stack mine --policy-pack policy\n"


@pytest.mark.parametrize("code", [0, 1])
def test_what_a_stack_answers_is_handed_to_the_job_that_writes_the_issue(runner: Runner, code: int) -> None:
    runner.answers(code, '{"differs": true}')
    assert runner.run("drift.yml", "Look for drift").code == 0
    assert runner.written("asked") == "drift mine --json\n"
    assert runner.written("drift/mine.json") == '{"differs": true}'


def test_a_stack_that_cannot_tell_hands_nothing_on(runner: Runner) -> None:
    runner.answers(2, "half an answer")
    ended = runner.run("drift.yml", "Look for drift")
    assert (ended.code, ended.log) == (1, "whether mine has drifted cannot be told\n")
    assert list((runner.temporary / "drift").iterdir()) == []
