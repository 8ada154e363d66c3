"""What a run keeps and tells, as a point of one's own too, which the next one is held against."""

from pathlib import Path
from typing import Any

import pytest

from operations.benchmark.measured_points import layout_copies, points_of, thresholds_of
from operations.benchmark.progress import bench_progress
from operations.benchmark.recording import RESULT_FILE, PlannedRun, Recording
from operations.benchmark.result import BenchmarkResult
from operations.errors import CommandError
from recipes.benchmark import Load
from recipes.load import load_recipe
from sizing.choose import Workload, choose
from sizing.points import Shape, append_points, own_points, published_points
from tests.operations.benchmark.made_results import RECORDED, measurement, percentiles, result

BEGUN = result(target="http://127.0.0.1:8000", generator="here", measurements=())
RUN = PlannedRun(
    BEGUN,
    load_recipe("gpt-oss-120b/trtllm-agg"),
    loads=(Load(128, 200, 1, 20, 1, 21), Load(128, 200, 4, 20, 4, 24)),
    seconds=60,
)
SUMMARY = RECORDED.read_text(encoding="utf-8")


def _kept(results: Path) -> list[BenchmarkResult]:
    return [
        BenchmarkResult.model_validate_json(file.read_bytes()) for file in results.glob(f"*/{RESULT_FILE}")
    ]


def test_a_load_that_has_ended_is_on_disk_before_the_next_one_and_a_whole_run_says_so(tmp_path: Path) -> None:
    run = Recording(tmp_path, RUN)
    run.add(SUMMARY)
    [kept] = _kept(tmp_path)
    assert (kept.outcome, kept.reason) == ("failed", "the command ended before its run had")
    assert [each.concurrency for each in kept.measurements] == [1]
    assert (run.folder / "01-128x200-c1" / RECORDED.name).read_text(encoding="utf-8") == SUMMARY
    run.add(SUMMARY)
    whole = run.finish("complete")
    [kept] = _kept(tmp_path)
    assert kept == whole
    assert (kept.outcome, kept.reason, kept.generator, kept.note) == ("complete", None, "here", None)
    assert [each.concurrency for each in kept.measurements] == [1, 4]
    assert kept.measurements[0].output_tokens_per_second_per_gpu == pytest.approx(649.723 / 4, abs=1e-3)


def test_a_run_without_a_result_writes_none(tmp_path: Path) -> None:
    run = Recording(tmp_path, RUN)
    with pytest.raises(CommandError, match="128/200 at 1: not the summary of AIPerf"):
        run.add("{")
    assert run.finish("failed", "it broke") is None
    assert _kept(tmp_path) == []


def test_a_run_has_a_folder_of_its_own_named_by_time_target_and_shape(tmp_path: Path) -> None:
    assert Recording(tmp_path, RUN).folder.name == "20261123T080000Z-127-0-0-1-8000-128x200"
    with pytest.raises(FileExistsError):
        Recording(tmp_path, RUN)


LOAD = Load(128, 1000, 4, 40, 4, 44)


def test_a_log_holds_a_line_where_a_load_begins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with bench_progress((LOAD, LOAD)) as progress:
        progress.begin_next()
        progress.moved(("Profiling", 1, 40))
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
    with bench_progress((LOAD, LOAD)) as progress:
        progress.begin_next()
        progress.moved(("Profiling", 16, 40))
        progress.said("Job b waits: \x1b[2Jno node")
    text = capsys.readouterr().err
    for part in ("[1/2] 128/1000 at 4 Profiling", "16/40", "no node"):
        assert part in text
    assert "\x1b[2J" not in text


AGGREGATED = load_recipe("gpt-oss-120b/vllm-agg")


def _measured(**changes: Any) -> Any:
    return measurement(
        shape="8192/1024",
        concurrency=512,
        output_tokens_per_second_per_gpu=4400.0,
        ttft_milliseconds=percentiles(140.0),
        itl_milliseconds=percentiles(14.0),
        **changes,
    )


def _run(concurrency: int, **changes: Any) -> PlannedRun:
    load = Load(8192, 1024, concurrency, 10 * concurrency, concurrency, 11 * concurrency)
    begun = result(**{"gpus": 8, "accelerators": ("B200",)} | changes)
    return PlannedRun(begun, AGGREGATED, (load,), seconds=60)


def test_a_run_is_written_as_a_point_that_the_choice_prefers(tmp_path: Path) -> None:
    file = tmp_path / "measured.local.csv"
    run = result(_measured(), gpus=8, accelerators=("B200",))
    append_points(file, points_of(run, AGGREGATED))
    append_points(file, points_of(run, AGGREGATED))
    first, second = own_points(file)
    # Eight workers of one GPU: 64 requests of 512 in each.
    assert (first.gpu, str(first.layout), first.users, first.tokens_per_second_per_gpu) == (
        "B200",
        "TP1",
        64,
        4400.0,
    )
    assert first == second
    workload = Workload(Shape(8192, 1024), gpu="B200", tpot_ms=first.tpot_ms)
    options = choose(workload, (first, *published_points())).options
    assert first in [each.point for each in options]


def test_gpus_that_the_layout_does_not_fill_are_refused() -> None:
    four = load_recipe("gpt-oss-120b/trtllm-agg")
    assert layout_copies(8, four) == 2
    for gpus in (1, 6):
        with pytest.raises(
            CommandError, match=rf"takes 4 GPUs or a multiple of them, not {gpus}\n  try: --gpus"
        ):
            layout_copies(gpus, four)


def test_nothing_of_a_mock_engine_or_of_failed_requests_is_recorded() -> None:
    with pytest.raises(CommandError, match="nothing is recorded: a mock engine answered"):
        list(points_of(result(_measured(), engine="mock", gpus=8, accelerators=("B200",)), AGGREGATED))
    with pytest.raises(CommandError, match="nobody said how many GPUs of which kind"):
        list(points_of(result(_measured(), gpus=None, accelerators=()), AGGREGATED))
    assert list(points_of(result(_measured(errors=1), gpus=8, accelerators=("B200",)), AGGREGATED)) == []


def test_the_measured_point_of_the_layout_is_what_a_run_has_to_reach() -> None:
    [threshold] = thresholds_of(_run(8 * 64), AGGREGATED).thresholds
    # 4,194.5 tokens a second and GPU with 64 users, less what repeated runs differ by.
    assert (threshold.shape, threshold.concurrency) == ("8192/1024", 512)
    assert threshold.at_least.output_tokens_per_second_per_gpu == pytest.approx(4194.5 * 0.961)


def test_a_load_that_nobody_has_measured_is_refused_with_what_was() -> None:
    with pytest.raises(CommandError) as refused:
        thresholds_of(_run(8 * 50), AGGREGATED)
    assert "nobody has measured this layout at 8192/1024 with 50 users" in str(refused.value)
    assert "measured: 4, 8, 16, 32, 64, 128" in str(refused.value)
    with pytest.raises(CommandError, match="give the STACK, or --recipe and --gpus beside --url"):
        thresholds_of(_run(512, gpus=None, accelerators=()), AGGREGATED)
