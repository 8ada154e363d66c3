"""Figures of others: data with source and date, and beside which run they may stand."""

from hardware import ACCELERATORS
from operations.benchmark.measured_points import comparable_figures, published_figures
from operations.benchmark.shapes import PUBLISHED_SHAPES


def test_a_figure_that_may_stand_beside_a_run_is_of_a_gpu_that_runs_can_have() -> None:
    assert len(published_figures()) > 10
    known = ACCELERATORS.keys()
    assert [each for each in published_figures() if each.shape and each.accelerator not in known] == []


def test_a_figure_stands_beside_a_run_of_the_same_tokens_on_the_same_gpu_alone() -> None:
    shapes = [str(each.shape) for each in PUBLISHED_SHAPES]
    found = comparable_figures(shapes, ["GB200"], is_mock=False)
    assert [(each.shape, each.output_tokens_per_second_per_gpu) for each in found] == [
        ("128/1000", 26307),
        ("8192/1024", 6835),
    ]
    assert comparable_figures(["32000/256"], ["GB200"], is_mock=False) == ()


def test_nothing_stands_beside_a_run_on_gpus_that_nobody_named() -> None:
    assert comparable_figures(["128/1000"], [], is_mock=False) == ()


def test_nothing_published_stands_beside_a_mock_engine() -> None:
    assert comparable_figures(["128/1000"], ["GB200"], is_mock=True) == ()
