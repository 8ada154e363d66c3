"""`dynamo-stack bench` against a frontend on the loopback interface, with a program in AIPerf's place."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from operations.benchmark.recording import RESULT_FILE
from tests.cli.command import Answer, Command
from tests.operations.benchmark.made_results import ANSWERS, RECORDED, fake_aiperf
from tests.recipes.listing_frontend import LISTED, listing_frontend

FAILS = "echo '│    Reason: no such host   │'; exit 1"


@pytest.fixture
def url() -> Iterator[str]:
    with listing_frontend((200, LISTED)) as models:
        yield models.removesuffix("/v1/models")


class Bench:
    """The command with what every test needs."""

    def __init__(self, command: Command, folder: Path, url: str) -> None:
        self._command, self._url = command, url
        self.folder, self.results = folder, folder / "runs"
        self.behaviour = ANSWERS

    def __call__(self, *words: str | Path) -> Answer:
        program = fake_aiperf(self.folder, behaviour=self.behaviour)
        plain = ("--url", self._url, "--shape", "128/200", "--concurrency", "4", "--aiperf", program)
        return self._command("bench", *plain, "--results", self.results, *words)

    def kept(self) -> list[dict[str, Any]]:
        """The result.json of each run."""
        files = sorted(self.results.glob(f"*/{RESULT_FILE}"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]


@pytest.fixture
def bench(command: Command, tmp_path: Path, url: str) -> Bench:
    return Bench(command, tmp_path, url)


def _cells(answer: Answer, shape: str) -> list[str]:
    [line] = [line for line in answer.out.splitlines() if line.startswith(shape)]
    return line.split()


def test_a_run_is_shown_and_kept_and_its_progress_goes_to_the_error_stream(bench: Bench) -> None:
    answer = bench("--gpus", "4xGB200")
    assert answer.code == 0
    assert _cells(answer, "128/200")[:7] == ["128/200", "4", "20", "0", "650", "162", "170"]
    [kept] = bench.kept()
    assert (kept["engine"], kept["outcome"], kept["gpus"], kept["accelerators"]) == (
        "real",
        "complete",
        4,
        ["GB200"],
    )
    [folder] = bench.results.iterdir()
    assert answer.out.splitlines()[-1] == str(folder / RESULT_FILE)
    assert answer.err.splitlines() == [
        "40 requests, and 4 to warm up, in 1 load: 180 min at most; AIPerf 0.13.0 of this machine sends "
        "them, and nothing is installed",
        "[1/1] 128/200 at 4: 40 requests, after 4 to warm up",
        "128/200 at 4: 20 answered, in 6 s",
    ]


def test_a_sweep_measures_each_concurrency_once_and_a_program_reads_what_is_kept(bench: Bench) -> None:
    answer = bench("--sweep", "--shape", "9/9", "--json")
    assert answer.code == 0
    [kept] = bench.kept()
    assert json.loads(answer.out) == kept
    seen = [(each["shape"], each["concurrency"]) for each in kept["measurements"]]
    assert seen == [("128/200", 1), ("128/200", 4), ("9/9", 1), ("9/9", 4)]


@pytest.mark.parametrize(
    ("words", "load"),
    [
        (("latency-b200",), ("1024/1024", "8", "80")),
        (("--recipe", "gpt-oss-120b/trtllm-disagg-8gpu", "--requests", "300"), ("32000/256", "240", "300")),
    ],
)
def test_an_address_is_measured_as_the_recipe_that_is_behind_it(
    command: Command, url: str, tmp_path: Path, words: tuple[str, ...], load: tuple[str, ...]
) -> None:
    plain = ("--url", url, "--aiperf", fake_aiperf(tmp_path), "--results", tmp_path / "runs")
    answer = command("bench", *words, *plain)
    assert answer.code == 0, answer.err
    shape, at_once, requests = load
    assert f"{shape} at {at_once}: {requests} requests" in answer.err


def test_a_mock_engine_is_said_everywhere(bench: Bench) -> None:
    answer = bench("--mock", "--shape", "128/1000")
    assert "mock engine: no model ran, so no figure here says anything about a GPU" in answer.out
    assert "MOCK TOK/S" in answer.out
    assert _cells(answer, "128/1000")[5] == "-"
    [kept] = bench.kept()
    assert kept["engine"] == "mock"
    assert kept["note"].startswith("mock engine: no model ran")
    assert [each["outputTokensPerSecondPerGpu"] for each in kept["measurements"]] == [None, None]


def test_a_figure_that_regressed_ends_with_1_and_its_distance(bench: Bench) -> None:
    limits = bench.folder / "limits.yaml"
    limits.write_text(
        "thresholds: [{shape: 128/200, atLeast: {outputTokensPerSecond: 1000}}]", encoding="utf-8"
    )
    answer = bench("--assert", limits)
    assert answer.code == 1
    assert answer.err.splitlines()[-1] == (
        "regressed: 128/200 at 4: outputTokensPerSecond is 649.7, at least 1,000 is asked for: 35.0 % less"
    )
    assert bench.kept()[0]["outcome"] == "complete"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("thresholds: [{shape: 128/20}]", "says nothing that a run must reach", id="a mistake"),
        pytest.param(
            "thresholds: [{shape: 8192/1024, atMost: {errorPercent: 0}}]",
            "is not measured by this run, so it would pass unseen\n"
            "  allowed: 128/200 at 4\n  try: --shape 8192/1024",
            id="not measured",
        ),
        pytest.param(
            "thresholds: [{shape: 128/200, atLeast: {outputTokensPerSecondPerGpu: 1}}]",
            "is not measured: nobody said how many GPUs there are; --gpus does",
            id="no GPUs",
        ),
    ],
)
def test_thresholds_that_cannot_be_judged_end_before_anything_is_sent(
    bench: Bench, text: str, said: str
) -> None:
    limits = bench.folder / "limits.yaml"
    limits.write_text(text, encoding="utf-8")
    answer = bench("--assert", limits)
    assert (answer.code, answer.out) == (2, "")
    assert str(limits) in answer.err
    assert said in answer.err
    assert not bench.results.exists()
    assert not (bench.folder / "calls").exists()


def test_a_load_that_fails_ends_with_2_and_keeps_those_before_it(bench: Bench) -> None:
    bench.behaviour = (
        f'[ -e {bench.folder}/once ] && {{ {FAILS}; }}; touch {bench.folder}/once; cp {RECORDED} "$out"'
    )
    answer = bench("--sweep")
    assert answer.code == 2
    assert "128/200 at 4: AIPerf ended with exit code 1: no such host" in answer.err
    [kept] = bench.kept()
    assert (kept["outcome"], len(kept["measurements"])) == ("failed", 1)
    assert "AIPerf ended with exit code 1" in kept["reason"]
    assert f"1 finished load: {next(bench.results.iterdir()) / RESULT_FILE}" in answer.err


@pytest.mark.parametrize(
    ("signal", "code", "reason"),
    [("INT", 130, "Ctrl-C"), ("TERM", 143, "SIGTERM"), ("HUP", 129, "SIGHUP")],
    ids=["INT", "TERM", "HUP"],
)
def test_an_interruption_ends_aiperf_and_keeps_the_loads_before_it(
    bench: Bench, signal: str, code: int, reason: str
) -> None:
    bench.behaviour = (
        f"if [ -e {bench.folder}/once ]; then echo $$ > {bench.folder}/pid; kill -{signal} $PPID; "
        f'exec sleep 300; fi; touch {bench.folder}/once; cp {RECORDED} "$out"'
    )
    answer = bench("--sweep")
    assert (answer.code, answer.out) == (code, "")
    [kept] = bench.kept()
    assert (kept["outcome"], kept["reason"], len(kept["measurements"])) == ("interrupted", reason, 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.folder / "pid").read_text(encoding="utf-8")), 0)


def test_without_aiperf_the_command_says_how_to_get_it(
    command: Command, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = command(
        "bench", "--url", url, "--shape", "9/9", "--concurrency", "1", "--results", tmp_path / "r"
    )
    assert (answer.code, answer.out) == (2, "")
    assert "`uv tool install aiperf==0.13.0`" in answer.err
    assert not (tmp_path / "r").exists()


def test_a_model_that_is_not_served_ends_before_anything_is_sent(bench: Bench) -> None:
    answer = bench("--model", "openai/gpt-oss-20b")
    assert answer.code == 2
    assert "does not serve openai/gpt-oss-20b: it serves openai/gpt-oss-120b" in answer.err
    assert not bench.results.exists()


def test_a_run_is_recorded_as_a_point_and_the_next_one_is_held_against_it(
    command: Command, tmp_path: Path, url: str
) -> None:
    behind = ("--url", url, "--recipe", "gpt-oss-120b/trtllm-agg", "--gpus", "4xGB200")
    load = ("--shape", "128/200", "--concurrency", "4", "--aiperf", fake_aiperf(tmp_path))
    recorded = command("bench", *behind, *load, "--results", tmp_path / "runs", "--record", folder=tmp_path)
    assert recorded.code == 0, recorded.err
    assert "recorded in measured.local.csv" in recorded.err
    [point] = (tmp_path / "measured.local.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert point.startswith("GB200,tensorrt-llm,dynamo-1.2.1,128,200,4,0,0,1,4,4,yes,4,162")
    words = ("--results", tmp_path / "again", "--assert", "measured")
    again = command("bench", *behind, *load, *words, folder=tmp_path)
    assert (again.code, again.err.splitlines()[-1]) == (0, "every threshold is reached")
