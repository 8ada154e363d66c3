"""What a run keeps and tells while it goes on, and what it says of itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import jsonschema
import pytest

from operations.benchmark.aiperf_output import LoadProgress
from operations.benchmark.document import DOCUMENT, SCHEMA, benchmark_files_document, result_schema_text
from operations.benchmark.progress import bench_progress
from operations.benchmark.recording import (
    RESULT_FILE,
    PlannedRun,
    Recording,
    make_run_folder,
    write_result,
)
from operations.benchmark.result import MOCK_NOTE, BenchmarkResult
from operations.errors import CommandError
from recipes.benchmark_load import Load
from recipes.load import load_recipe
from tests.operations.benchmark.fake_aiperf import RECORDED
from tests.operations.benchmark.made_results import measurement, result

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
STARTED = "2026-11-23T08:00:00Z"
SUMMARY = RECORDED.read_text(encoding="utf-8")


def _kept(results: Path) -> list[BenchmarkResult]:
    return [
        BenchmarkResult.model_validate_json(file.read_bytes()) for file in results.glob(f"*/{RESULT_FILE}")
    ]


def test_a_load_that_has_ended_is_on_disk_before_the_next_one_and_a_whole_run_says_so(tmp_path: Path) -> None:
    recording = Recording(tmp_path, RUN)
    recording.add(2, SUMMARY)
    [kept] = _kept(tmp_path)
    assert (kept.outcome, kept.reason) == ("failed", "the command ended before its run had")
    assert [each.concurrency for each in kept.measurements] == [4]
    assert (recording.folder / "02-128x200-c4" / RECORDED.name).read_text(encoding="utf-8") == SUMMARY
    recording.add(1, SUMMARY)
    whole = recording.finish("complete")
    [kept] = _kept(tmp_path)
    assert kept == whole
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
    run = replace(RUN, engine="mock")
    assert run.why_not_per_gpu == "is not measured: a mock engine has no GPU"
    recording = Recording(tmp_path, run)
    recording.add(1, SUMMARY)
    kept = recording.finish("complete")
    assert kept is not None
    assert (kept.engine, kept.note) == ("mock", f"{MOCK_NOTE}; through a tunnel")
    assert kept.measurements[0].output_tokens_per_second_per_gpu is None


def test_two_runs_of_one_second_get_a_folder_each_named_by_time_target_and_shape(tmp_path: Path) -> None:
    names = [make_run_folder(tmp_path, STARTED, "dev", "9x9").name for _ in range(3)]
    assert names == [f"20261123T080000Z-dev-9x9{end}" for end in ("", "-2", "-3")]
    address = make_run_folder(tmp_path / "runs", STARTED, "http://127.0.0.1:8000", "128x1000")
    assert address.name == "20261123T080000Z-127-0-0-1-8000-128x1000"


def test_a_results_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file: no folder for the results can be made: File exists"):
        make_run_folder(tmp_path / "file", STARTED, "dev", "9x9")


def test_the_schema_and_the_page_of_a_result_are_the_models_own_and_take_what_a_run_writes(
    tmp_path: Path,
) -> None:
    outdated = "run `python -m operations.benchmark.document`"
    assert DOCUMENT.read_text(encoding="utf-8") == benchmark_files_document(), outdated
    assert SCHEMA.read_text(encoding="utf-8") == result_schema_text(), outdated
    written = json.loads(write_result(tmp_path, result()).read_bytes())
    assert written["measurements"][0]["outputTokensPerSecondPerGpu"] == 1000.0
    schema = jsonschema.Draft7Validator(json.loads(result_schema_text()))
    schema.validate(written)
    assert not schema.is_valid(written | {"gpus": "8"})


LOAD = Load(128, 1000, 4, 40, 4, 44)


def test_a_log_holds_a_line_where_a_load_begins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with bench_progress(2) as progress:
        progress.began(LOAD)
        progress.moved(LoadProgress("Profiling", 1, 40))
        progress.measured(measurement(errors=7, first_error="500 no room"))
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.splitlines() == [
        "[1/2] 128/1000 at 4: 40 requests, after 4 to warm up",
        "128/1000 at 4: 40 answered, 7 failed: 500 no room, in 10 s",
    ]


def test_a_terminal_shows_a_bar_with_the_load_and_sentences_above_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    with bench_progress(2) as progress:
        progress.began(LOAD)
        progress.moved(LoadProgress("Profiling", 16, 40))
        progress.said("Job b waits: \x1b[2Jno node")
    text = capsys.readouterr().err
    for part in ("[1/2] 128/1000 at 4 Profiling", "16/40", "no node"):
        assert part in text
    assert "\x1b[2J" not in text
