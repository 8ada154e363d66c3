"""`measured on GPU` is earned by a run: smoke, bench and doctor write it, explain and list read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from operations import evidence
from operations.errors import CommandError
from operations.project import resolved_stack
from recipes.consistency import contradictions
from recipes.evidence import Evidence, Level
from stacks.served_runs import RUNS
from tests.cli.command import squeezed, write_stack
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's folder with stack dev."""
    monkeypatch.chdir(tmp_path)
    write_stack(tmp_path, dev_settings())
    return tmp_path


def test_a_run_on_gpus_is_what_explain_and_list_say_from_then_on(here: Path, command: Command) -> None:
    assert "measured on GPU" not in command("explain", "dev", folder=here).out
    said = evidence.record(resolved_stack("dev"), "smoke", "answers: 10 good of 10 checks", is_mock=False)
    assert said == "recorded in evidence.local.csv, which `dynamo-stack explain` reads"
    assert "EVIDENCE B200: measured on GPU, " in squeezed(command("explain", "dev", folder=here).out)
    reasons = squeezed(command("explain", "dev", "--all", folder=here).out)
    assert "smoke of stack dev on 20" in reasons
    assert ", 1.2.1: answers: 10 good of 10 checks" in reasons
    listed = json.loads(command("list", "--json", folder=here).out)["stacks"]
    assert [each["evidence"] for each in listed if each["name"] == "dev"] == [
        [{"accelerator": "B200", "level": "measured on GPU"}]
    ]


@pytest.mark.parametrize(
    ("is_mock", "why"), [(True, "a mock engine answered"), (None, "nobody can tell whether a mock engine")]
)
def test_a_mock_engine_earns_nothing(here: Path, is_mock: bool | None, why: str) -> None:
    with pytest.raises(CommandError, match=f"nothing is recorded: {why}"):
        evidence.record(resolved_stack("dev"), "doctor", "healthy", is_mock=is_mock)
    assert not (here / RUNS).exists()


def test_a_line_that_no_run_wrote_is_named(here: Path, command: Command) -> None:
    (here / RUNS).write_text("date,command\n2026-11-28,smoke\n")
    answer = command("explain", "dev", folder=here)
    assert answer.code == 2
    assert answer.err.startswith("evidence.local.csv\n  line '2026-11-28,smoke' is no recorded run\n")


def test_a_recipe_cannot_claim_it(here: Path) -> None:
    recipe = resolved_stack("dev").serving.placed.recipe
    typed = Evidence(accelerator="B200", level=Level.MEASURED, reason="trust me")
    [said] = contradictions(recipe.model_copy(update={"evidence": (typed,)}))
    assert said.startswith(
        "evidence on B200: 'measured on GPU' is earned by a run, `dynamo-stack smoke STACK"
    )
