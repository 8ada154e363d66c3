"""Both linters pass the workflows, and find what is wrong in one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab import commands
from lab.toolchain.build import cache_directory, executables
from tests.workflows.workflow_files import FOLDER


def lint(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def planted(folder: Path, name: str, before: str, after: str) -> Path:
    """A copy of the workflows with a defect in one of them; the path of that one."""
    target = folder / ".github" / "workflows"
    target.mkdir(parents=True)
    for file in FOLDER.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert before in text
    (target / name).write_text(text.replace(before, after))
    return target / name


@pytest.mark.parametrize(
    ("name", "before", "after", "audit"),
    [
        ("preview.yml", '"$NUMBER" "$base"', "${{ github.head_ref }}", "template-injection"),
        ("deploy.yml", "    with:\n", "    secrets: inherit\n    with:\n", "secrets-inherit"),
        ("comment.yml", "# zizmor: ignore[dangerous-triggers]", "#", "dangerous-triggers"),
    ],
)
def test_zizmor_as_make_check_calls_it_finds_a_planted_defect(
    tmp_path: Path, name: str, before: str, after: str, audit: str
) -> None:
    program = str(Path(sys.executable).with_name("zizmor"))
    answer = lint(program, "--offline", "-qq", "--pedantic", str(planted(tmp_path, name, before, after)))
    assert answer.returncode != 0
    assert f"[{audit}]" in answer.stdout


@pytest.mark.engine
def test_make_check_ends_where_actionlint_finds_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lab", "lint-workflows"])
    assert commands.main() == 0
    planted(tmp_path, "preview.yml", "timeout-minutes: 20", "timeout-minuts: 20")
    monkeypatch.setattr(commands, "REPOSITORY", tmp_path)
    assert commands.main() == 1
    assert 'unexpected key "timeout-minuts"' in capfd.readouterr().out


@pytest.mark.engine
@pytest.mark.parametrize(
    ("name", "before", "after", "words"),
    [
        ("deploy-stack.yml", "inputs.stack }}-preview", "inputs.stak }}-preview", 'property "stak" is not'),
        ("deploy-stack.yml", "needs: preview", "needs: review", 'needs job "review" which does not exist'),
        ("drift.yml", '"17 5 * * *"', '"17 25 * * *"', "invalid CRON format"),
    ],
)
def test_actionlint_finds_a_planted_defect(
    tmp_path: Path, name: str, before: str, after: str, words: str
) -> None:
    program = str(executables(cache_directory())["actionlint"])
    # Without the shellcheck and pyflakes of this machine, which another one has not.
    options = ("-no-color", "-shellcheck=", "-pyflakes=")
    answer = lint(program, *options, str(planted(tmp_path, name, before, after)))
    assert answer.returncode == 1
    assert words in answer.stdout
