"""The shell steps of the workflows; programs in the place of the real ones write down what they are asked."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.operations.revisions.repositories import MadeRepository
from tests.workflows.fake_github import FakeGitHub, PreviewRun, zipped
from tests.workflows.workflow_files import Ended, run_step, steps

_PROGRAM = """#!/bin/sh
echo "$@" >> "$RUNNER_TEMP/asked"
test -e "$RUNNER_TEMP/refuses$2" && exit 2
file=; previous=
for word in "$@"; do
  test "$previous" = --to && file=$word
  previous=$word
done
test -z "$file" || test ! -s "$RUNNER_TEMP/says" || cp "$RUNNER_TEMP/says" "$file"
test -n "$file" || cat "$RUNNER_TEMP/says"
cat "$RUNNER_TEMP/complains" >&2
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

    def answers(self, code: int, says: str = "", complains: str = "") -> None:
        """How `dynamo-stack` ends from now on, and what it writes."""
        for name, text in {"code": str(code), "says": says, "complains": complains}.items():
            (self.temporary / name).write_text(text)

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
    made, temporary = MadeRepository(tmp_path / "checkout"), tmp_path / "temporary"
    made.commit(**{"Pulumi.older": ""})
    made.git("checkout", "--quiet", "-b", "faster")
    head = made.commit(**{"Pulumi.faster": ""})
    made.git("checkout", "--quiet", "main")
    base = made.commit(**{"Pulumi.others": ""})
    made.git("merge", "--quiet", "--no-ff", "--message", "merge", "faster")
    temporary.mkdir()
    (made.root / ".venv" / "bin").mkdir(parents=True)
    programs = {made.root / ".venv" / "bin" / "dynamo-stack": _PROGRAM}
    programs |= {temporary / "make": _MAKE, temporary / "pulumi": _PULUMI}
    for program, text in programs.items():
        program.write_text(text)
        program.chmod(0o755)
    return Runner(made.root, temporary, base, head, made.git("rev-parse", "HEAD"))


def test_the_merge_is_compared_with_what_it_is_merged_into_and_the_artifact_names_the_commits(
    runner: Runner,
) -> None:
    runner.answers(1, "the comment")
    assert runner.compare().code == 0
    revisions = f"diff {runner.base}..{runner.merge}"
    assert runner.written("asked").splitlines() == [
        f"{revisions} --format markdown --to {runner.temporary / 'comment' / 'comment.md'}",
        f"{revisions} --format json --to {runner.temporary / 'comparison' / 'diff.json'}",
    ]
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
    runner.answers(3, complains="line\n" * 100_000)
    runner.compare()
    assert len(runner.written("comment/comment.md")) < 60_000


@pytest.mark.parametrize(
    ("refused", "log", "pages"),
    [
        pytest.param(
            None,
            "",
            ["base/older", "base/others", "head/faster", "head/older", "head/others"],
            id="every stack of each side",
        ),
        pytest.param(
            "older", "no page of older\n" * 2, ["base/others", "head/faster", "head/others"], id="without one"
        ),
        pytest.param("--help", "", [], id="code that is older than pages"),
    ],
)
def test_each_side_writes_a_page_of_each_stack_that_has_one(
    runner: Runner, refused: str | None, log: str, pages: list[str]
) -> None:
    runner.answers(0, "page")
    if refused is not None:
        (runner.temporary / f"refuses{refused}").touch()
    ended = runner.run("preview.yml", "Write the pages of both sides")
    assert (ended.code, ended.log) == (0, log)
    folder = runner.temporary / "comparison"
    assert sorted(str(page.relative_to(folder)) for page in folder.rglob("*.html")) == [
        f"{page}.html" for page in pages
    ]


@pytest.mark.parametrize(
    ("code", "ends", "output"),
    [(0, 0, "changes=false\n"), (1, 0, "changes=true\n"), (2, 1, ""), (3, 1, "")],
    ids=["no change", "changes", "refused", "not compared"],
)
def test_only_a_preview_with_changes_is_put_before_a_reviewer_and_a_refused_one_ends_the_deployment(
    runner: Runner, code: int, ends: int, output: str
) -> None:
    runner.answers(code, "1 to update\n")
    ended = runner.run("deploy-stack.yml", "Preview")
    assert ended.code == ends
    assert ended.log.startswith("1 to update\n")
    assert runner.written("asked") == "preview mine\n"
    assert runner.written("output") == output
    assert runner.written("summary") == "    1 to update\n"


def test_an_update_that_fails_names_the_command_that_clears_up(runner: Runner) -> None:
    ended = runner.run("deploy-stack.yml", "Up")
    assert ended.code == 1
    assert ended.log.endswith("what to type: dynamo-stack recover mine\n")
    assert runner.written("asked") == "up --yes --stack mine --policy-pack policy\n"


@pytest.mark.parametrize(
    ("code", "ends", "handed_on"),
    [(0, 0, '{"differs": true}'), (1, 0, '{"differs": true}'), (2, 1, "")],
    ids=["clean", "drifted", "cannot tell"],
)
def test_what_a_stack_answers_is_handed_to_the_job_that_writes_the_issue(
    runner: Runner, code: int, ends: int, handed_on: str
) -> None:
    runner.answers(code, '{"differs": true}')
    ended = runner.run("drift.yml", "Look for drift")
    assert (ended.code, ended.log) == (ends, "" if handed_on else "whether mine has drifted cannot be told\n")
    assert runner.written("asked") == "drift mine --json\n"
    assert runner.written("drift/mine.json") == handed_on
