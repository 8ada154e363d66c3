"""The table of a benchmark: this run, and what others have published."""

from collections.abc import Iterator, Sequence

from operations.benchmark.measured_points import PublishedFigure
from operations.benchmark.result import BenchmarkResult, Measurement, Percentiles

_NONE = "-"
_MOCK = " (mock engine)"


def headers(result: BenchmarkResult) -> tuple[str, ...]:
    """Return the names of the columns."""
    throughput = "MOCK TOK/S" if result.is_mock else "TOK/S"
    return (
        *("SHAPE", "AT ONCE", "ANSWERED", "ERRORS", throughput, "PER GPU", "PER USER"),
        *("TTFT ms p50", "p90", "p99", "ITL ms p50", "p90", "p99", "WHO"),
    )


def rows(result: BenchmarkResult, published: Sequence[PublishedFigure]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each load, and below those of a shape what is published of it."""
    mark = _MOCK if result.is_mock else ""
    for shape in dict.fromkeys(each.shape for each in result.measurements):
        for measured in result.measurements:
            if measured.shape == shape:
                yield _row(measured, f"this run{mark}")
        for figure in published:
            if figure.shape == shape:
                yield _published_row(figure)


def _row(measured: Measurement, who: str) -> tuple[str, ...]:
    return (
        measured.shape,
        str(measured.concurrency),
        str(measured.requests),
        str(measured.errors),
        _number(measured.output_tokens_per_second),
        _number(measured.output_tokens_per_second_per_gpu),
        _number(measured.output_tokens_per_second_per_user),
        *_times(measured.ttft_milliseconds),
        *_times(measured.itl_milliseconds),
        who,
    )


def _published_row(figure: PublishedFigure) -> tuple[str, ...]:
    note = f" ({figure.note})" if figure.note else ""
    return (
        *(figure.shape or _NONE, _NONE, _NONE, _NONE, _NONE),
        _number(figure.output_tokens_per_second_per_gpu),
        _number(figure.output_tokens_per_second_per_user),
        *[_NONE] * 6,
        f"published {figure.date}: {figure.source}: {figure.system}{note}",
    )


def _times(times: Percentiles) -> tuple[str, str, str]:
    return _number(times.p50), _number(times.p90), _number(times.p99)


def _number(value: float | None) -> str:
    if value is None:
        return _NONE
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits either way
