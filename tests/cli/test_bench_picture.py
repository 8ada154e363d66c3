"""The picture as an SVG document: what stands in it, and where."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from cli.bench_picture import picture
from cli.svg_chart import Chart, Level, Series, draw
from operations.benchmark.history import EarlierMeasurement
from operations.benchmark.published import comparable_figures
from tests.operations.benchmark.made_results import measurement, result

_SVG = "{http://www.w3.org/2000/svg}"
RUN = result(
    measurement(output_tokens_per_second_per_user=90.0, output_tokens_per_second_per_gpu=500.0),
    measurement(concurrency=64),
)


def _texts(document: str) -> list[str]:
    return [each.text or "" for each in _elements(document, "text")]


def _circles(document: str) -> list[tuple[float, float]]:
    circles = _elements(document, "circle")
    return [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in circles]


def _elements(document: str, name: str) -> list[ET.Element]:
    # The test's own document.
    return [*ET.fromstring(document).iter(f"{_SVG}{name}")]  # noqa: S314


def test_three_charts_show_throughput_and_both_waits() -> None:
    texts = _texts(picture(RUN, {}, ()))
    assert {"throughput", "time to the first token", "time between tokens"} <= {*texts}
    assert {"output tokens/s per GPU", "output tokens/s per user"} <= {*texts}
    assert {"p50", "p90", "p99"} <= {*texts}


def test_without_gpus_throughput_is_that_of_all_together() -> None:
    run = result(measurement(output_tokens_per_second_per_gpu=None))
    assert "output tokens/s in all" in _texts(picture(run, {}, ()))


def test_earlier_and_published_figures_are_named() -> None:
    earlier = {("128/1000", 4): [EarlierMeasurement("2026-01-01T00:00:00Z", measurement())]}
    published = comparable_figures({"128/1000", "8192/1024"}, ("GB200",), is_mock=False)
    texts = _texts(picture(RUN, earlier, published))
    assert "earlier runs" in texts
    assert "published 2026-05, 128/1000: ai-dynamo/dynamo#9914, never merged" in texts
    assert any(text.startswith("dashed: published 2025-12, 8192/1024: ") for text in texts)


def test_every_chart_of_a_mock_engine_says_so() -> None:
    run = result(
        measurement(output_tokens_per_second_per_gpu=None), engine="mock", note="mock engine: no model"
    )
    texts = _texts(picture(run, {}, ()))
    assert "mock engine: no model" in texts
    assert sum(text.startswith("mock engine: t") for text in texts) == 3


def test_the_same_run_makes_the_same_bytes() -> None:
    assert picture(RUN, {}, ()) == picture(RUN, {}, ())


def test_more_is_higher_and_further_right() -> None:
    series = Series("a", "#000", ((1.0, 10.0, ""), (100.0, 1000.0, "")))
    (x1, y1), (x2, y2) = _circles(draw([Chart("", "x", "y", [series])], "", None))
    assert x1 < x2
    assert y1 > y2


def test_a_point_that_no_logarithm_has_is_left_out() -> None:
    series = Series("a", "#000", ((0.0, 10.0, ""), (5.0, 0.0, ""), (5.0, 10.0, "")))
    assert len(_circles(draw([Chart("", "x", "y", [series])], "", None))) == 1


@pytest.mark.parametrize("points", [(), ((1.0, 1.0, "one"),)])
def test_a_chart_of_one_point_or_none_is_drawn(points: tuple[tuple[float, float, str], ...]) -> None:
    document = draw(
        [Chart("t", "x", "y", [Series("a", "#000", points)], [Level("l", "#000", 3.0)])], "h", None
    )
    assert {"t", "a", "l", "h"} <= {*_texts(document)}


def test_signs_of_xml_and_of_terminals_do_no_harm() -> None:
    document = draw([Chart("<b>&", "x", "y", [])], "a\x1b[2J", None)
    assert "<b>&" in _texts(document)
    assert "\x1b" not in document
