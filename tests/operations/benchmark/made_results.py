"""Results as runs write them, and a program in AIPerf's place that writes the summary of a recorded run."""

from pathlib import Path
from typing import Any

from operations.benchmark.aiperf import SUMMARY_FILE
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


RECORDED = Path(__file__).with_name("recorded") / SUMMARY_FILE
"""Of AIPerf 0.13.0 against Dynamo 1.2.1's frontend and mocker: 128/200, 4 at a time; abridged."""
_PROGRAM = """#!/bin/sh
[ "$1" = --version ] && { echo VERSION; exit; }
echo "$@" >> FOLDER/calls
while [ $# -gt 1 ]; do [ "$1" = --artifact-dir ] && out=$2; shift; done
printf '\\rWarmup: 0/4 |   |   0%% [00:00<?]\\rProfiling: 16/20 |###  | 80%% [00:02<00:01]\\n'
BEHAVIOUR
"""
ANSWERS = f'cp {RECORDED} "$out/{SUMMARY_FILE}"'


def fake_aiperf(folder: Path, *, version: str = "0.13.0", behaviour: str = ANSWERS) -> Path:
    """Write the program, which notes its calls in `calls` beside it."""
    file = folder / "aiperf"
    text = _PROGRAM.replace("VERSION", version).replace("FOLDER", str(folder))
    file.write_text(text.replace("BEHAVIOUR", behaviour), encoding="utf-8")
    file.chmod(0o755)
    return file
