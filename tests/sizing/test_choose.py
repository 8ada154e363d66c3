"""The choice of a layout among measured points, held against the points themselves."""

from itertools import product

import pytest

from sizing.choose import Choice, Workload, choose
from sizing.points import Layout, Point, Shape, published_points

LONG = Shape(8192, 1024)
SHAPES = (LONG, Shape(1024, 1024), Shape(1024, 8192))
GPUS = ("B200", "GB200", "H200", "H100")
TPOT_LIMITS = (3.0, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 50.0)
TP1, TP2 = (Layout("tensorrt-llm", 0, 0, 1, split, 1, attention_data_parallel=False) for split in (1, 2))


def _of(gpu: str, **asked: float | int) -> Choice:
    return choose(Workload(LONG, gpu=gpu, **asked), published_points())  # type: ignore[arg-type]


def test_for_every_shape_gpu_and_limit_the_choice_is_the_measured_best() -> None:
    tried = 0
    named = {
        (run.gpu, run.layout, run.shape, run.users) for run in published_points() if run.version != "mixed"
    }
    for shape, gpu, limit in product(SHAPES, GPUS, TPOT_LIMITS):
        within = [
            run.tokens_per_second_per_gpu
            for run in published_points()
            if (run.shape, run.gpu) == (shape, gpu)
            and run.tpot_ms <= limit
            # A median over versions counts where no run of one is known.
            and (run.version != "mixed" or (gpu, run.layout, shape, run.users) not in named)
            # Their answers were not accurate (InferenceX #430).
            and not (gpu == "B200" and run.layout.attention_data_parallel)
        ]
        options = choose(Workload(shape, gpu=gpu, tpot_ms=limit), published_points()).options
        chosen = [each.point.tokens_per_second_per_gpu for each in options]
        assert chosen[:1] == ([max(within)] if within else []), (shape, gpu, limit)
        tried += bool(within)
    assert tried >= 41


def test_one_tray_of_two_prefill_gpus_and_a_decoder_of_two_is_chosen_on_gb200() -> None:
    best = _of("GB200", tpot_ms=15, ttft_ms=1000).options[0]
    assert str(best.point.layout) == "2 prefill TP1 + 1 decode TP2"
    assert (best.point.users, best.point.tokens_per_second_per_gpu, best.gpus) == (256, 5363.0, 4)


def test_a_time_to_the_first_token_that_nobody_published_keeps_no_limit() -> None:
    with_limit = _of("B200", tpot_ms=40, ttft_ms=10_000).options
    without = _of("B200", tpot_ms=40).options
    assert with_limit[0].point.users == 128
    assert (without[0].point.users, without[0].point.ttft_ms) == (256, None)


def test_a_rate_says_how_many_of_a_layout_it_takes() -> None:
    best = _of("B200", tpot_ms=15, ttft_ms=1000, requests_per_second=20.0).options[0]
    # 20,480 tokens a second by layouts of two GPUs with 4,495 each.
    assert (best.point.layout, best.replicas, best.gpus) == (TP2, 3, 6)


def test_a_layout_that_does_not_serve_the_rate_on_the_gpus_that_there_are_is_no_option() -> None:
    layouts = [each.point.layout for each in _of("B200", requests_per_second=40.0, gpus=8).options]
    assert layouts == [TP1, Layout("vllm", 0, 0, 1, 1, 1, attention_data_parallel=False), TP2]


def test_between_two_numbers_of_users_the_figures_lie_on_a_line_and_the_option_says_so() -> None:
    best = _of("B200", users=600, gpus=8).options[0]
    assert (best.point.layout, best.point.users, best.between, best.replicas) == (TP1, 75, (64, 128), 8)
    low, high = 14.069, 22.299
    assert best.point.tpot_ms == pytest.approx(low + (75 - 64) / 64 * (high - low))


def test_beyond_the_users_that_were_run_nothing_is_said() -> None:
    assert _of("H200", users=10_000, gpus=8).options == ()


def test_lengths_that_a_benchmark_drew_are_its_shape_and_others_are_nobodys() -> None:
    drawn = choose(Workload(Shape(7000, 900)), published_points())
    assert drawn.measured == LONG
    unknown = choose(Workload(Shape(3000, 400)), published_points())
    assert (unknown.measured, unknown.options) == (None, ())
    assert [each.point.shape for each in unknown.nearest] == [LONG, Shape(1024, 1024)]


def test_where_nothing_keeps_the_limits_the_nearest_are_named() -> None:
    choice = _of("B200", tpot_ms=1)
    assert choice.options == ()
    assert [each.point.tpot_ms for each in choice.nearest] == sorted(
        each.point.tpot_ms for each in choice.nearest
    )


def test_ones_own_run_takes_the_place_of_a_published_one() -> None:
    own = Point("B200", TP1, "1.3.0", LONG, 64, 4000.0, 200.0, 14.0, "", "measured.local.csv")
    options = choose(Workload(LONG, gpu="B200", tpot_ms=14.5), (own, *published_points())).options
    assert [each.point for each in options if each.point.layout == TP1] == [own]
