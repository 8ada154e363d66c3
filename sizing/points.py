"""The measured points of serving gpt-oss-120b: what was run, and what it gave."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from hardware.source import Source

INFERENCEX = "SemiAnalysis InferenceX"
SOURCES: Mapping[str, Source] = {
    "inferencemax": Source(
        f"{INFERENCEX}, CI artifacts results_bmk kept by gminneci/mantile at 72ff84e; medians, the latest "
        "run of each point; lengths drawn from 80 to 100 % of the shape, no prefix reuse, closed loop",
        "2026-01",
    ),
    "inferencex-vllm-0.22": Source(
        f"{INFERENCEX}, read from its API by mvernacc/portfolio at 670b82c; means", "2026-05-31"
    ),
    "inferencex-dump": Source(
        f"{INFERENCEX}, medians over all dates in MQubeAI/InferenceX-PCA-demo at db9a587; several engine "
        "versions, no time to the first token, layouts matched by their values",
        "2026-07-20",
    ),
}
"""Name in points.csv -> who measured it, and when."""


OWN_POINTS = Path("measured.local.csv")
"""Beside the stack files: what `bench --record` writes and `size` reads."""
_COLUMNS = (
    *("gpu", "engine", "version", "input_tokens", "output_tokens", "users", "prefill_workers", "prefill_tp"),
    *("decode_workers", "decode_tp", "decode_ep", "attention_dp", "gpus", "tokens_per_second_per_gpu"),
    *("ttft_ms", "tpot_ms", "run", "source"),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Lengths of prompt and answer, in tokens, as a benchmark names them."""

    input_tokens: int
    output_tokens: int

    def holds(self, other: "Shape") -> bool:
        """Whether a workload of these lengths is what was measured: lengths of 80 to 100 % were drawn."""
        pairs = ((self.input_tokens, other.input_tokens), (self.output_tokens, other.output_tokens))
        return all(0.8 * nominal <= length <= nominal for nominal, length in pairs)

    def __str__(self) -> str:
        return f"{self.input_tokens}/{self.output_tokens}"


@dataclass(frozen=True, slots=True, order=True)
class Layout:
    """The workers that serve together, and how each is split over GPUs."""

    engine: str
    prefill_workers: int
    """0 where a worker does prefill and decode."""
    prefill_tensor_parallel: int
    workers: int
    """Decode workers where there are prefill workers."""
    tensor_parallel: int
    expert_parallel: int
    attention_data_parallel: bool

    @property
    def gpus(self) -> int:
        """GPUs of all its workers."""
        return self.prefill_workers * self.prefill_tensor_parallel + self.workers * self.tensor_parallel

    def __str__(self) -> str:
        split = f"TP{self.tensor_parallel}"
        if self.expert_parallel > 1:
            split += f" EP{self.expert_parallel}"
        if self.attention_data_parallel:
            split += ", attention DP"
        if not self.prefill_workers:
            return split
        return (
            f"{self.prefill_workers} prefill TP{self.prefill_tensor_parallel} + {self.workers} decode {split}"
        )


@dataclass(frozen=True, slots=True)
class Point:
    """One run: a layout under a number of users, and what came out."""

    gpu: str
    layout: Layout
    version: str
    """Of the engine; `mixed` where the source has medians over several."""
    shape: Shape
    users: float
    """Requests under way at a time in one layout."""
    tokens_per_second_per_gpu: float
    """Output tokens, over all GPUs of the layout."""
    ttft_ms: float | None
    """Time to the first token, median; None where the source does not publish it."""
    tpot_ms: float
    """Time between tokens of one answer, median."""
    run: str
    source: str
    """Key of `SOURCES`, or the file of one's own measurements."""

    @property
    def precedence(self) -> int:
        """0 for one's own run, 1 for a published run, 2 for a median over several versions of the engine."""
        if self.source not in SOURCES:
            return 0
        return 2 if self.version == "mixed" else 1

    @property
    def is_trusted(self) -> bool:
        """Whether its source stands by it.

        All B200 rows with attention data parallelism are from before InferenceX #430 (2026-01-16), which
        mended their answers' accuracy.
        """
        return not (self.gpu == "B200" and self.layout.attention_data_parallel)


@cache
def published_points() -> tuple[Point, ...]:
    """Return what others have measured."""
    return tuple(_read(files("sizing").joinpath("points.csv").read_text().splitlines()))


def own_points(file: Path) -> tuple[Point, ...]:
    """Return what `bench --record` has written.

    Raises:
        ValueError: a line is no point.

    """
    return tuple(_read(file.read_text().splitlines())) if file.exists() else ()


def append_points(file: Path, points: Iterable[Point]) -> None:
    """Write points at the end of a file of one's own, which is made where there is none."""
    is_new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        if is_new:
            writer.writerow(_COLUMNS)
        for point in points:
            layout = point.layout
            writer.writerow(
                [
                    *(point.gpu, layout.engine, point.version),
                    *(point.shape.input_tokens, point.shape.output_tokens, f"{point.users:g}"),
                    *(layout.prefill_workers, layout.prefill_tensor_parallel, layout.workers),
                    *(layout.tensor_parallel, layout.expert_parallel),
                    "yes" if layout.attention_data_parallel else "no",
                    *(layout.gpus, point.tokens_per_second_per_gpu),
                    *("" if point.ttft_ms is None else point.ttft_ms, point.tpot_ms),
                    *(point.run, point.source),
                ]
            )


def _read(lines: list[str]) -> Iterator[Point]:
    for row in csv.DictReader(lines):
        yield Point(
            gpu=row["gpu"],
            layout=Layout(
                engine=row["engine"],
                prefill_workers=int(row["prefill_workers"]),
                prefill_tensor_parallel=int(row["prefill_tp"]),
                workers=int(row["decode_workers"]),
                tensor_parallel=int(row["decode_tp"]),
                expert_parallel=int(row["decode_ep"]),
                attention_data_parallel=row["attention_dp"] == "yes",
            ),
            version=row["version"],
            shape=Shape(int(row["input_tokens"]), int(row["output_tokens"])),
            users=float(row["users"]),
            tokens_per_second_per_gpu=float(row["tokens_per_second_per_gpu"]),
            ttft_ms=float(row["ttft_ms"]) if row["ttft_ms"] else None,
            tpot_ms=float(row["tpot_ms"]),
            run=row["run"],
            source=row["source"],
        )
