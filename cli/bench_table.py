"""The table of a benchmark."""

from operations.benchmark.result import BenchmarkResult, Measurement, Percentiles


def headers(result: BenchmarkResult) -> tuple[str, ...]:
    """Return the names of the columns."""
    throughput = "MOCK TOK/S" if result.is_mock else "TOK/S"
    return (
        *("SHAPE", "AT ONCE", "ANSWERED", "ERRORS", throughput, "PER GPU", "PER USER"),
        *("TTFT ms p50", "p90", "p99", "ITL ms p50", "p90", "p99"),
    )


def row(measured: Measurement) -> tuple[str, ...]:
    """Return the row of a load."""
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
    )


def _times(times: Percentiles) -> tuple[str, str, str]:
    return _number(times.p50), _number(times.p90), _number(times.p99)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits either way
