"""Results as runs write them, with the figures that a test is about."""

from __future__ import annotations

from typing import Any

from operations.benchmark.result import BenchmarkResult, Measurement, Percentiles


def percentiles(p50: float) -> Percentiles:
    return Percentiles(average=p50, p50=p50, p90=2 * p50, p95=3 * p50, p99=4 * p50)


def measurement(shape: str = "128/1000", concurrency: int = 4, **figures: Any) -> Measurement:
    plain: dict[str, Any] = {
        "requests": 40,
        "errors": 0,
        "first_error": None,
        "seconds": 10.0,
        "input_tokens": 128.0,
        "output_tokens": 1000.0,
        "requests_per_second": 4.0,
        "output_tokens_per_second": 4000.0,
        "output_tokens_per_second_per_gpu": 1000.0,
        "output_tokens_per_second_per_user": 50.0,
        "ttft_milliseconds": percentiles(100),
        "itl_milliseconds": percentiles(5),
        "request_milliseconds": percentiles(2000),
    }
    return Measurement(shape=shape, concurrency=concurrency, **(plain | figures))


def result(*measurements: Measurement, **changes: Any) -> BenchmarkResult:
    plain: dict[str, Any] = {
        "schema_version": 1,
        "engine": "real",
        "note": None,
        "target": "agg-gb200",
        "model": "openai/gpt-oss-120b",
        "recipe": "gpt-oss-120b/trtllm-agg",
        "runtime": "1.2.1",
        "gpus": 4,
        "accelerators": ("GB200",),
        "generator": "job",
        "aiperf": "0.13.0",
        "started": "2026-11-23T08:00:00Z",
        "ended": "2026-11-23T09:00:00Z",
        "outcome": "complete",
        "reason": None,
        "measurements": measurements or (measurement(),),
    }
    return BenchmarkResult(**(plain | changes))
