"""A run kept as a point of one's own, and held against the measured points of its layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from operations.benchmark.measured_points import comparable_figures, layout_copies, points_of, thresholds_of
from operations.benchmark.plan_run import PlannedRun
from operations.benchmark.shapes import PUBLISHED_SHAPES
from operations.errors import CommandError
from recipes.benchmark_load import Load
from recipes.load import load_recipe
from sizing.choose import Limits, Workload, choose
from sizing.points import Shape, append_points, own_points, published_points
from tests.operations.benchmark.made_results import measurement, percentiles, result

if TYPE_CHECKING:
    from pathlib import Path

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
    known: dict[str, Any] = {"gpus": 8, "accelerators": ("B200",), "engine": "real"} | changes
    return PlannedRun(
        target="mine",
        model="openai/gpt-oss-120b",
        benchmark=AGGREGATED.benchmark,
        loads=(load,),
        seconds=60,
        in_cluster=True,
        aiperf="0.13.0",
        **known,
    )


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
    workload, limits = Workload(Shape(8192, 1024), gpu="B200"), Limits(tpot_ms=first.tpot_ms)
    options = choose(workload, limits, (first, *published_points())).options
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


def test_a_published_figure_stands_beside_a_run_of_the_same_tokens_on_the_same_gpu_alone() -> None:
    shapes = [str(each.shape) for each in PUBLISHED_SHAPES]
    found = comparable_figures(shapes, ["GB200"], is_mock=False)
    assert [(each.shape, each.output_tokens_per_second_per_gpu) for each in found] == [
        ("128/1000", 26307),
        ("8192/1024", 6835),
    ]
    assert comparable_figures(["32000/256"], ["GB200"], is_mock=False) == ()
    assert comparable_figures(shapes, [], is_mock=False) == ()
    assert comparable_figures(shapes, ["GB200"], is_mock=True) == ()
