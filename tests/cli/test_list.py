"""What `list` shows; and `measured on GPU`, which a run alone earns and `list` and `explain` read."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hardware import ACCELERATORS
from operations import evidence
from operations.errors import CommandError
from operations.project import resolved_stack
from recipes.consistency import contradictions
from recipes.load import load_recipe
from recipes.model import Evidence, Level
from stacks.served_runs import RUNS
from tests.cli.command import ROOT, Command, merged, read_document, squeezed, write_stack
from tests.support.dev_settings import described_node, dev_settings, existing_cluster_settings, resolved

SETTINGS = "Pulumi.dev.yaml"


def test_list_shows_stacks_with_their_gpus_and_recipes_with_evidence_and_who_validated_them(
    command: Command,
) -> None:
    answer = command("list")
    shown = squeezed(answer.out)
    assert answer.code == 0
    assert "dev gpt-oss-120b/trtllm-disagg 5 B200 B200: mock-served" in shown
    assert "gpt-oss-120b/trtllm-agg 4 1.2 1.4 GB200 B200: rendered, GB200: mock-served" in shown
    assert "gpt-oss-120b/trtllm-disagg 5 1.2 1.4 GB200, B200 B200: mock-served" in shown


def test_a_stack_can_be_made_of_each_recipe_on_each_gpu_that_is_listed_for_it(command: Command) -> None:
    recipes = read_document("list", command("list", "--json").out)["recipes"]
    listed = {(recipe["name"], each["accelerator"]) for recipe in recipes for each in recipe["evidence"]}
    for recipe, accelerator in listed:
        # SettingsError says why not.
        resolved(_on_two_whole_nodes(recipe, accelerator))
    assert ("gpt-oss-120b/trtllm-disagg-8gpu", "B200") in listed
    # Its one pod needs eight GPUs of one node, and a tray has four.
    assert ("gpt-oss-120b/trtllm-disagg-8gpu", "GB200") not in listed
    assert "GB200" not in command("recipes", "show", "gpt-oss-120b/trtllm-disagg-8gpu").out


def _on_two_whole_nodes(name: str, accelerator: str) -> dict[str, Any]:
    """A stack of the recipe with these GPUs in somebody's cluster."""
    recipe, host = load_recipe(name), ACCELERATORS[accelerator].host
    gpus = min(max(host.gpu_counts), 8)
    node = described_node(
        accelerator=accelerator,
        gpus=gpus,
        architecture=host.cpu_architecture,
        labels={},
        nvlinkDomainGpus=gpus if host.nvlink_crosses_nodes else None,
    )
    serving: dict[str, Any] = {"recipe": name, "pool": "gpus"}
    if recipe.is_disaggregated and recipe.one_pod is None:
        serving["kvTransport"] = "tcp"
    settings = existing_cluster_settings(serving, [{"name": "gpus", "nodes": 2, "node": node}])
    return settings if recipe.runtime.platform_lines else merged(settings, {"platform": None})


def test_stacks_that_cannot_be_used_are_listed_with_the_reason_and_hide_no_other(
    command: Command, tmp_path: Path
) -> None:
    text = (ROOT / SETTINGS).read_text().replace("pool: b200", "pool: b300")
    (tmp_path / "Pulumi.broken.yaml").write_text(text)
    (tmp_path / "Pulumi.bytes.yaml").write_bytes(b"\xff\xfe")
    shutil.copy(ROOT / SETTINGS, tmp_path)
    answer = command("list", folder=tmp_path)
    assert answer.code == 0
    shown = squeezed(answer.out)
    assert "broken cannot be used Pulumi.broken.yaml: serving.pool = 'b300'" in shown
    assert "bytes cannot be used Pulumi.bytes.yaml; not a stack file: not UTF-8" in shown
    assert "dev gpt-oss-120b/trtllm-disagg" in shown
    broken, unread, dev = read_document("list", command("list", "--json", folder=tmp_path).out)["stacks"]
    assert (broken["name"], broken["recipe"], broken["gpus"]) == ("broken", None, {})
    assert "serving.pool = 'b300'" in broken["problem"]
    assert "not UTF-8 text (byte 0)" in unread["problem"]
    assert (dev["recipe"], dev["gpus"], dev["problem"]) == ("gpt-oss-120b/trtllm-disagg", {"B200": 5}, None)


def test_drift_of_the_simulated_cluster_says_which_shell_sees_it(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").write_text("contexts: [{name: production, context: {cluster: production}}]\n")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "other"))
    answer = command("drift", "dev")
    assert answer.code == 2
    assert "try: `make lab-up`, which starts this simulated cluster, then `make shell`" in answer.err


def test_stack_files_are_those_of_this_folder_and_else_of_the_project_above(
    command: Command, tmp_path: Path
) -> None:
    assert "dev" in command("list", folder=ROOT / "tests" / "cli").out
    (tmp_path / "Pulumi.yaml").write_text("name: x\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    shutil.copy(ROOT / SETTINGS, inner / "Pulumi.mine.yaml")
    listed = command("list", folder=inner).out
    assert "mine" in listed
    assert "dev" not in listed


def test_list_outside_a_project_says_so(command: Command, tmp_path: Path) -> None:
    answer = command("list", folder=tmp_path)
    assert answer.code == 0
    assert f"no stacks: there is no Pulumi.STACK.yaml in {tmp_path}" in answer.out
    assert "STACK  RECIPE" not in answer.out
    assert "gpt-oss-120b/trtllm-agg" in answer.out


def test_a_stack_may_be_named_by_its_file(command: Command) -> None:
    for name in ("explain", "render", "check", "drift", "recover", "preflight", "smoke"):
        assert command(name, "./Pulumi.dev.yaml") == command(name, "dev"), name


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
