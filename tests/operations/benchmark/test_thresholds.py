"""What regressed, by how much; and thresholds that would pass without a measurement."""

from __future__ import annotations

from typing import Any

import pytest

from operations.benchmark.thresholds import FIGURES, AtLeast, AtMost, Thresholds, regressions, unmeasured
from recipes.benchmark_load import Load
from tests.operations.benchmark.made_results import measurement, percentiles

LOADS = [Load(128, 1000, 4, 40, 4, 44), Load(128, 1000, 16, 160, 16, 176)]


def _thresholds(*entries: dict[str, Any]) -> Thresholds:
    # The tuple stands for the list of the file.
    return Thresholds.model_validate({"thresholds": entries})


def _said(thresholds: Thresholds, *measured: Any) -> list[str]:
    return regressions(thresholds, measured)


def test_every_figure_of_the_file_has_its_value() -> None:
    assert FIGURES.keys() == AtLeast.model_fields.keys() | AtMost.model_fields.keys()


def test_a_figure_below_its_threshold_is_named_with_its_distance() -> None:
    thresholds = _thresholds({"shape": "128/1000", "atLeast": {"outputTokensPerSecondPerGpu": 20000.0}})
    slow = measurement(output_tokens_per_second_per_gpu=18200.0)
    assert _said(thresholds, slow) == [
        "128/1000 at 4: outputTokensPerSecondPerGpu is 18,200, at least 20,000 is asked for: 9.0 % less"
    ]


def test_a_figure_above_its_threshold_is_named_with_its_distance() -> None:
    thresholds = _thresholds({"shape": "128/1000", "atMost": {"ttftP99Milliseconds": 200.0}})
    assert _said(thresholds, measurement(ttft_milliseconds=percentiles(62.5))) == [
        "128/1000 at 4: ttftP99Milliseconds is 250, at most 200 is asked for: 25.0 % more"
    ]


def test_a_figure_on_its_threshold_has_not_regressed() -> None:
    limits = {"atLeast": {"outputTokensPerSecond": 4000.0}, "atMost": {"itlP50Milliseconds": 5.0}}
    assert _said(_thresholds({"shape": "128/1000", **limits}), measurement()) == []


def test_no_error_is_allowed_where_none_is() -> None:
    thresholds = _thresholds({"shape": "128/1000", "atMost": {"errorPercent": 0.0}})
    assert _said(thresholds, measurement()) == []
    assert _said(thresholds, measurement(requests=30, errors=10)) == [
        "128/1000 at 4: errorPercent is 25, at most 0 is asked for: 25 more"
    ]


def test_a_threshold_of_one_concurrency_leaves_the_others_alone() -> None:
    limit = {"atLeast": {"requestsPerSecond": 9.0}}
    both = (measurement(), measurement(concurrency=16))
    assert len(_said(_thresholds({"shape": "128/1000", **limit}), *both)) == 2
    [only] = _said(_thresholds({"shape": "128/1000", "concurrency": 16, **limit}), *both)
    assert only.startswith("128/1000 at 16: ")
    assert _said(_thresholds({"shape": "8192/1024", **limit}), *both) == []


@pytest.mark.parametrize(
    ("entry", "why_not_per_gpu", "text"),
    [
        pytest.param(
            {"shape": "8192/1024", "atMost": {"errorPercent": 0.0}},
            None,
            "f: thresholds[0].shape = '8192/1024'\n"
            "  is not measured by this run, so it would pass unseen\n"
            "  allowed: 128/1000\n"
            "  try: add --shape 8192/1024",
            id="another shape",
        ),
        pytest.param(
            {"shape": "128/1000", "concurrency": 8, "atMost": {"errorPercent": 0.0}},
            None,
            "f: thresholds[0].concurrency = 8\n"
            "  is not measured by this run, so it would pass unseen\n"
            "  allowed: 4, 16",
            id="another concurrency",
        ),
        pytest.param(
            {"shape": "128/1000", "atLeast": {"outputTokensPerSecondPerGpu": 1.0}},
            "is not measured: a mock engine has no GPU",
            "f: thresholds[0].atLeast.outputTokensPerSecondPerGpu = 1.0\n"
            "  is not measured: a mock engine has no GPU",
            id="no GPU",
        ),
    ],
)
def test_a_threshold_that_nothing_would_be_held_against_is_refused(
    entry: dict[str, Any], why_not_per_gpu: str | None, text: str
) -> None:
    [problem] = unmeasured(_thresholds(entry), LOADS, why_not_per_gpu)
    assert problem.text("f") == text


def test_a_threshold_that_is_measured_is_not_refused() -> None:
    entry = {"shape": "128/1000", "concurrency": 16, "atLeast": {"outputTokensPerSecondPerGpu": 1.0}}
    assert unmeasured(_thresholds(entry), LOADS, None) == []
