"""Earlier runs beside a new one: those of the same target and the same kind of engine."""

from collections.abc import Iterable
from dataclasses import dataclass

from operations.benchmark.result import BenchmarkResult, Measurement

_MOST_OF_ONE_LOAD = 3


@dataclass(frozen=True, slots=True)
class EarlierMeasurement:
    """One load of an earlier run."""

    started: str
    """UTC."""
    measured: Measurement


def earlier_measurements(
    result: BenchmarkResult, earlier: Iterable[BenchmarkResult]
) -> dict[tuple[str, int], list[EarlierMeasurement]]:
    """Return by shape and concurrency what the newest earlier runs measured, the newest first.

    A mock engine and a real one never stand beside each other, nor what AIPerf measured from two places.
    """
    alike = [each for each in earlier if each.started < result.started and _kind(each) == _kind(result)]
    found: dict[tuple[str, int], list[EarlierMeasurement]] = {
        (each.shape, each.concurrency): [] for each in result.measurements
    }
    for run in sorted(alike, key=lambda each: each.started, reverse=True):
        for measured in run.measurements:
            same = found.get((measured.shape, measured.concurrency))
            if same is not None and len(same) < _MOST_OF_ONE_LOAD:
                same.append(EarlierMeasurement(run.started, measured))
    return found


def _kind(result: BenchmarkResult) -> tuple[str, str, str, str]:
    return result.target, result.engine, result.generator, result.aiperf
