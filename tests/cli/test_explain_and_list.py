import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.project import resolved_stack
from tests.cli.command import ROOT, Command

SETTINGS = "Pulumi.dev.yaml"


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_explain_names_cluster_pools_and_what_idle_gpus_cost(command: Command) -> None:
    answer = command("explain", "dev")
    assert (answer.code, answer.err) == (0, "")
    shown = squeezed(answer.out)
    assert "kubeconfig context dynamo-lab" in shown
    # Three of eight B200 at $113.9328 an hour for the node.
    assert "b200 1 x p6-b200.48xlarge 8 B200 5 3 $42.72 an hour on demand" in shown
    # Eight GB200 at $10.582 an hour each.
    assert "gb200 2 x p6e-gb200.36xlarge 8 GB200 0 8 $84.66 an hour in a Capacity Block" in shown


def test_explain_shows_each_worker_with_its_nodes_and_the_reason(command: Command) -> None:
    shown = squeezed(command("explain", "dev").out)
    assert "TrtllmPrefillWorker 1 1 pool b200" in shown
    assert "TrtllmDecodeWorker 1 4 pool b200" in shown
    assert "nvidia.com/gpu.product=NVIDIA-B200" in shown
    assert "p6-b200.48xlarge nodes" in shown


def test_explain_shows_the_ceiling_of_the_kv_path_and_what_lifts_it(command: Command) -> None:
    shown = squeezed(command("explain", "dev").out)
    # 8192 tokens x 36,864 bytes over 25 Gbit/s and over 5 Gbit/s.
    assert "KV PATH tcp" in shown
    assert "0.30 GB of KV cache: at most 10.3 a second over 25 Gbit/s of pod network, 2.1 over one" in shown
    assert "lifted by network cards with RDMA" in shown


def test_explain_shows_the_operator_before_the_graph(command: Command) -> None:
    shown = squeezed(command("explain", "dev").out)
    order = re.search(r"ORDER OF CREATION (.*?) DESTROY", shown)
    assert order is not None
    steps = [step.strip() for step in order.group(1).split(">")]
    assert steps.index("Release dynamo-platform") < steps.index("Job model-download")
    assert steps[-1] == "DynamoGraphDeployment gpt-oss-disagg"


def test_explain_lists_everything_that_destroy_leaves(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = command("explain", "dev").out.split("DESTROY LEAVES")[1]
    monkeypatch.chdir(ROOT)
    retained = resolved_stack("dev").retained
    assert retained
    assert all(kept.name in shown for kept in retained)


def test_explain_claims_no_more_than_was_tried(command: Command) -> None:
    shown = command("explain", "dev").out
    assert "EVIDENCE on B200: scheduled (simulated)" in shown
    assert "EVIDENCE on GB200" not in shown


def test_output_without_a_terminal_has_no_colour_and_fits_its_width(command: Command) -> None:
    lines = command("explain", "dev").out.splitlines()
    assert not any("\x1b" in line for line in lines)
    assert 100 < max(map(len, lines)) <= 160
    assert len(lines) <= 50


def test_list_shows_stacks_with_recipe_and_accelerator_and_recipes_with_evidence(command: Command) -> None:
    answer = command("list")
    shown = squeezed(answer.out)
    assert answer.code == 0
    assert "dev gpt-oss-120b/trtllm-disagg B200" in shown
    assert "gpt-oss-120b/trtllm-disagg 5 B200: scheduled (simulated), GB200: rendered" in shown


def test_list_shows_a_stack_that_cannot_be_used_with_the_reason(command: Command, tmp_path: Path) -> None:
    text = (ROOT / SETTINGS).read_text().replace("pool: b200", "pool: b300")
    (tmp_path / "Pulumi.broken.yaml").write_text(text)
    shutil.copy(ROOT / SETTINGS, tmp_path)
    answer = command("list", folder=tmp_path)
    assert answer.code == 0
    assert "broken cannot be used Pulumi.broken.yaml: serving.pool = 'b300'" in squeezed(answer.out)
    assert "dev gpt-oss-120b/trtllm-disagg" in squeezed(answer.out)


def test_a_setting_that_cannot_be_used_ends_with_its_own_words_and_exit_2(
    command: Command, tmp_path: Path
) -> None:
    text = (ROOT / SETTINGS).read_text().replace("kvTransport: tcp", "kvTransprt: tcp")
    (tmp_path / SETTINGS).write_text(text)
    for name in ("explain", "render", "check"):
        answer = command(name, "dev", folder=tmp_path)
        assert (answer.code, answer.out) == (2, "")
        assert SETTINGS in answer.err
        assert "kvTransprt" in answer.err
        assert "Traceback" not in answer.err


def test_stack_files_are_found_from_a_folder_below_the_project(command: Command) -> None:
    answer = command("list", folder=ROOT / "tests" / "cli")
    assert "dev" in answer.out


def test_stack_files_here_come_before_a_project_above(command: Command, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: x\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    shutil.copy(ROOT / SETTINGS, inner / "Pulumi.mine.yaml")
    answer = command("list", folder=inner)
    assert "mine" in answer.out
    assert "dev" not in answer.out.replace("mine", "")


@pytest.mark.parametrize("arguments", [["list"], ["check", "--file", "Pulumi.yaml"], ["--help"]])
def test_commands_that_record_nothing_do_not_load_the_sdk(arguments: list[str]) -> None:
    code = (
        "import sys, atexit\n"
        "loaded = lambda: sys.stderr.write(f'\\nloaded: {sorted(sys.modules)}')\n"
        "atexit.register(loaded)\n"
        f"sys.argv = ['dynamo-stack', *{arguments!r}]\n"
        "from cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    loaded = done.stderr.rpartition("loaded: ")[2]
    assert "'cli.main'" in loaded
    assert "'pulumi'" not in loaded
