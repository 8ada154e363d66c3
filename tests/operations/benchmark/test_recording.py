"""What a run keeps while it goes on, and what it says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from operations.benchmark.recording import RESULT_FILE, PlannedRun, Recording
from operations.benchmark.result import MOCK_NOTE, BenchmarkResult
from operations.errors import CommandError
from recipes.benchmark_load import Load
from recipes.load import load_recipe
from tests.operations.benchmark.fake_aiperf import RECORDED

if TYPE_CHECKING:
    from pathlib import Path

RUN = PlannedRun(
    target="http://127.0.0.1:8000",
    model="m",
    benchmark=load_recipe("gpt-oss-120b/trtllm-agg").benchmark,
    loads=(Load(128, 200, 1, 20, 1, 21), Load(128, 200, 4, 20, 4, 24)),
    seconds=60,
    in_cluster=False,
    engine="real",
    aiperf="0.13.0",
    gpus=4,
    accelerators=("GB200",),
    note="through a tunnel",
)
SUMMARY = RECORDED.read_text(encoding="utf-8")


def _kept(results: Path) -> list[BenchmarkResult]:
    return [
        BenchmarkResult.model_validate_json(file.read_bytes()) for file in results.glob(f"*/{RESULT_FILE}")
    ]


def test_a_load_that_has_ended_is_on_disk_before_the_next_one(tmp_path: Path) -> None:
    recording = Recording(tmp_path, RUN)
    recording.add(1, SUMMARY)
    [kept] = _kept(tmp_path)
    assert (kept.outcome, kept.reason) == ("failed", "the command ended before its run had")
    assert [each.concurrency for each in kept.measurements] == [1]
    assert (recording.folder / "01-128x200-c1" / RECORDED.name).read_text(encoding="utf-8") == SUMMARY


def test_a_whole_run_says_so(tmp_path: Path) -> None:
    recording = Recording(tmp_path, RUN)
    recording.add(2, SUMMARY)
    recording.add(1, SUMMARY)
    kept = recording.finish("complete")
    assert kept is not None
    assert [kept] == _kept(tmp_path)
    assert (kept.outcome, kept.reason, kept.generator, kept.note) == ("complete", None, "here", RUN.note)
    assert [each.concurrency for each in kept.measurements] == [1, 4]
    assert kept.measurements[0].output_tokens_per_second_per_gpu == pytest.approx(649.723 / 4, abs=1e-3)


def test_a_run_without_a_result_writes_none(tmp_path: Path) -> None:
    recording = Recording(tmp_path, RUN)
    with pytest.raises(CommandError, match="128/200 at 4: not the summary of AIPerf"):
        recording.add(2, "{")
    assert recording.finish("failed", "it broke") is None
    assert _kept(tmp_path) == []


def test_a_mock_engine_is_named_and_has_no_figure_per_gpu(tmp_path: Path) -> None:
    recording = Recording(tmp_path, replace(RUN, engine="mock"))
    recording.add(1, SUMMARY)
    kept = recording.finish("complete")
    assert kept is not None
    assert (kept.engine, kept.note) == ("mock", f"{MOCK_NOTE}; through a tunnel")
    assert kept.measurements[0].output_tokens_per_second_per_gpu is None


def test_why_there_is_no_figure_per_gpu_is_said() -> None:
    assert RUN.why_not_per_gpu is None
    assert replace(RUN, engine="mock").why_not_per_gpu == "is not measured: a mock engine has no GPU"
    assert "--gpus" in str(replace(RUN, gpus=None).why_not_per_gpu)
