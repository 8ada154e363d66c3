"""The picture of a benchmark: throughput against speed per user, and the times that users wait."""

from collections.abc import Callable, Iterator, Sequence

from cli.bench_table import Earlier
from cli.svg_chart import Chart, Level, Series, draw
from operations.benchmark.published import PublishedFigure
from operations.benchmark.result import BenchmarkResult, Measurement, Percentiles

# Of one lightness, and apart for colour-blind readers too (Okabe and Ito, 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_EARLIER, _PUBLISHED = "#8a8a8a", "#111111"
_PERCENTILES = ("p50", "p90", "p99")
_MOCK_TITLE = "mock engine: "


def picture(result: BenchmarkResult, earlier: Earlier, published: Sequence[PublishedFigure]) -> str:
    """Return an SVG document."""
    mark = _MOCK_TITLE if result.is_mock else ""
    charts = [
        _throughput(result, earlier, published, mark),
        _waits(f"{mark}time to the first token", result, lambda each: each.ttft_milliseconds),
        _waits(f"{mark}time between tokens", result, lambda each: each.itl_milliseconds),
    ]
    return draw(charts, f"{result.target}: {result.model}, {result.started}", result.note)


def _throughput(
    result: BenchmarkResult, earlier: Earlier, published: Sequence[PublishedFigure], mark: str
) -> Chart:
    per_gpu = all(each.output_tokens_per_second_per_gpu is not None for each in result.measurements)
    figure = _per_gpu if per_gpu else _in_all
    series = [
        Series(
            f"{shape}, at each point the requests open at a time",
            colour,
            tuple(
                (each.output_tokens_per_second_per_user, figure(each), str(each.concurrency)) for each in own
            ),
        )
        for shape, colour, own in _by_shape(result)
    ]
    before = [
        (each.measured.output_tokens_per_second_per_user, figure(each.measured), "")
        for runs in earlier.values()
        for each in runs
    ]
    if before:
        series.append(Series("earlier runs", _EARLIER, tuple(before), is_joined=False))
    shown = published if per_gpu else ()
    for each in shown:
        if each.output_tokens_per_second_per_user is not None:
            point = (each.output_tokens_per_second_per_user, each.output_tokens_per_second_per_gpu, "")
            series.append(Series(_name(each), _PUBLISHED, (point,), is_joined=False))
    levels = [
        Level(f"dashed: {_name(each)}", _PUBLISHED, each.output_tokens_per_second_per_gpu)
        for each in shown
        if each.output_tokens_per_second_per_user is None
    ]
    unit = "output tokens/s per GPU" if per_gpu else "output tokens/s in all"
    return Chart(f"{mark}throughput", "output tokens/s per user", unit, series, levels)


def _waits(title: str, result: BenchmarkResult, times: Callable[[Measurement], Percentiles]) -> Chart:
    series = [
        Series(
            f"{shape}: {', '.join(_PERCENTILES)}" if percentile == _PERCENTILES[0] else "",
            colour,
            tuple(
                (each.concurrency, getattr(times(each), percentile), percentile if each is own[-1] else "")
                for each in own
            ),
        )
        for shape, colour, own in _by_shape(result)
        for percentile in _PERCENTILES
    ]
    return Chart(title, "requests open at a time", "milliseconds", series)


def _by_shape(result: BenchmarkResult) -> Iterator[tuple[str, str, list[Measurement]]]:
    for index, shape in enumerate(dict.fromkeys(each.shape for each in result.measurements)):
        own = [each for each in result.measurements if each.shape == shape]
        yield shape, _COLOURS[index % len(_COLOURS)], sorted(own, key=lambda each: each.concurrency)


def _name(figure: PublishedFigure) -> str:
    return f"published {figure.date}, {figure.shape}: {figure.source}"


def _per_gpu(measured: Measurement) -> float:
    return measured.output_tokens_per_second_per_gpu or 0.0


def _in_all(measured: Measurement) -> float:
    return measured.output_tokens_per_second
