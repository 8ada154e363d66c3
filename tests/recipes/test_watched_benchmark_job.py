"""The benchmark Job that somebody watches: several loads, each result in its log; its shell run for real."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from recipes.benchmark import Load
from recipes.benchmark_job import RESULT_FOLLOWS, benchmark_job
from recipes.load import load_recipe
from tests.support.placed_recipes import placed_recipe

RECIPE = load_recipe("gpt-oss-120b/trtllm-disagg")
LOADS = [RECIPE.benchmark.load(8192, 1024, 1), RECIPE.benchmark.load(128, 1000, 16, 20)]
DEADLINE_SECONDS = 30
# The last word is the folder of the results.
_WRITE_THE_ANSWERS_LENGTH = """
while [ "$1" != --output-tokens-mean ]; do shift; done
tokens=$2
for folder; do :; done
mkdir -p "$folder"
echo "{$tokens}" > "$folder/profile_export_aiperf.json"
"""


def _job(loads: list[Load], deadline_seconds: int | None = None) -> dict[str, Any]:
    placed = placed_recipe(graph_name="mine", namespace="apart", cache_claim_name="files")
    return benchmark_job(placed, loads=loads, deadline_seconds=deadline_seconds)


def _shell_without_installation(aiperf: Path, results: Path) -> list[str]:
    """The words of the container, with a program in AIPerf's place and a folder of the test's own."""
    [container] = _job(LOADS)["spec"]["template"]["spec"]["containers"]
    trap, _install, _wait, *loads = container["args"][0].splitlines()
    text = "\n".join([trap, *loads]).replace("/scratch/packages/bin/aiperf", str(aiperf))
    return [*container["command"], text.replace("/opt/models/perf", str(results))]


def _program(file: Path, text: str) -> Path:
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_the_result_of_each_load_follows_its_number_in_the_log(tmp_path: Path) -> None:
    aiperf = _program(tmp_path / "aiperf", _WRITE_THE_ANSWERS_LENGTH)
    answer = subprocess.run(
        _shell_without_installation(aiperf, tmp_path / "results"),
        env={"PATH": os.environ["PATH"], "RUN": "bench-x7k2p"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=True,
    )
    assert [line for line in answer.stdout.splitlines() if line] == [
        f"{RESULT_FOLLOWS} 1",
        "{1024}",
        f"{RESULT_FOLLOWS} 2",
        "{1000}",
    ]
    folders = sorted(path.name for path in (tmp_path / "results" / "mine" / "bench-x7k2p").iterdir())
    assert folders == ["1", "2"]


def test_after_a_load_that_fails_no_other_is_sent(tmp_path: Path) -> None:
    aiperf = _program(tmp_path / "aiperf", "echo sent; exit 3")
    answer = subprocess.run(
        _shell_without_installation(aiperf, tmp_path / "results"),
        env={"PATH": os.environ["PATH"], "RUN": "bench-x7k2p"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (3, "sent\n")


def test_a_job_that_is_deleted_ends_its_load_at_once(tmp_path: Path) -> None:
    aiperf = _program(tmp_path / "aiperf", "echo started; exec sleep 60 >/dev/null")
    shell = subprocess.Popen(
        _shell_without_installation(aiperf, tmp_path / "results"),
        env={"PATH": os.environ["PATH"], "RUN": "bench-x7k2p"},
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        assert shell.stdout is not None
        assert shell.stdout.readline() == "started\n"
        shell.terminate()
        assert shell.wait(timeout=DEADLINE_SECONDS) == 143
    finally:
        # In a container the end of its first process ends the others.
        os.killpg(shell.pid, signal.SIGKILL)


def test_a_watched_job_is_not_tried_again_and_ends_when_it_is_told_to() -> None:
    assert _job(LOADS, 600)["spec"]["backoffLimit"] == 0
    assert _job(LOADS, 600)["spec"]["activeDeadlineSeconds"] == 600
    assert _job(LOADS)["spec"]["activeDeadlineSeconds"] == RECIPE.benchmark.deadline_seconds
