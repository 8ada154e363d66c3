"""AIPerf: run on this machine, what it prints, why it ended, and the summary that it writes of one load."""

import json
import os
import re
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from failures.explanation import without_colours
from operations.benchmark.result import Measurement, Percentiles
from operations.errors import CommandError
from operations.streamed_process import streamed
from recipes.aiperf_command import Endpoint, aiperf_arguments
from recipes.benchmark import AIPERF_VERSION, CONNECTIONS_PER_WORKER, Benchmark
from recipes.benchmark_job import RESULT_FOLLOWS
from recipes.benchmark_load import Load

_BAR = re.compile(r"\b(Warmup|Profiling): +([\d,]+)/([\d,]+)")
_FRAME = "│╭╮╰╯─"
_REASON = "Reason:"
_ALL_FAILED = "All "
"""Begins AIPerf's words where no request was answered; the reason is in the error of each request."""
_LOGGED_ERROR = re.compile(r"\b(?:ERROR|CRITICAL)\s+(.*)")


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far a load is."""

    step: str
    """What AIPerf does: Warmup or Profiling."""
    done: int
    total: int


def read_progress(line: str) -> LoadProgress | None:
    """Return what a line says of the progress; None for any other line."""
    found = _BAR.findall(without_colours(line))
    if not found:
        return None
    step, done, total = found[-1]
    return LoadProgress(step, int(done.replace(",", "")), int(total.replace(",", "")))


def failure_reason(lines: Iterable[str]) -> str:
    """Return why AIPerf ended: the first reason that it gives, else its last error, else its last words."""
    plain = [without_colours(line).strip().strip(_FRAME).strip() for line in lines]
    said = [line for line in plain if line and read_progress(line) is None]
    given = [line.removeprefix(_REASON).strip() for line in said if line.startswith(_REASON)]
    logged = [match[1] for line in said if (match := _LOGGED_ERROR.search(line))]
    telling = [each for each in (*given, *reversed(logged)) if not each.startswith(_ALL_FAILED)]
    return next(iter((*telling, *given, *said[-1:])), "it says nothing")


_LINES_KEPT = 400
# A progress bar may stand before it: such a bar ends with no line break. AIPerf indents what is inside.
_RESULT = re.compile(rf"{RESULT_FOLLOWS} (\d+)\s*\n(\{{$.*?^\}}$)", re.MULTILINE | re.DOTALL)


def results_in(log: str) -> dict[int, str]:
    """Return AIPerf's summaries that a Job's log holds as a whole, by the number of their load, from 1."""
    return {int(number): summary for number, summary in _RESULT.findall(log)}


SUMMARY_FILE = "profile_export_aiperf.json"


def read_summary(text: str, load: Load, gpus: int | None) -> Measurement:
    """Return what AIPerf measured.

    Args:
        text: the summary, of the one version of AIPerf that measures here and in Jobs.
        load: what was sent.
        gpus: by which throughput is divided; None where it is not to be.

    Raises:
        CommandError: not a summary of a load that ran to its end.

    """
    name = f"{load.shape} at {load.concurrency}"
    try:
        summary = json.loads(text)
        if not summary["is_complete"] or not _count(summary, "request_count"):
            why = _first_error(summary) or "AIPerf does not say why"
            raise CommandError(f"{name}: interrupted, or no request was answered; {why}")
        return _measurement(summary, load, gpus)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise CommandError(f"{name}: not the summary of a load that AIPerf ended: {error!r}") from None


def _measurement(summary: Mapping[str, Any], load: Load, gpus: int | None) -> Measurement:
    tokens_per_second = summary["output_token_throughput"]["avg"]
    return Measurement(
        shape=load.shape,
        concurrency=load.concurrency,
        requests=_count(summary, "request_count"),
        errors=_count(summary, "error_request_count"),
        first_error=_first_error(summary),
        seconds=summary["benchmark_duration"]["avg"],
        input_tokens=summary["input_sequence_length"]["avg"],
        output_tokens=summary["output_sequence_length"]["avg"],
        requests_per_second=summary["request_throughput"]["avg"],
        output_tokens_per_second=tokens_per_second,
        output_tokens_per_second_per_gpu=tokens_per_second / gpus if gpus else None,
        output_tokens_per_second_per_user=summary["output_token_throughput_per_user"]["avg"],
        ttft_milliseconds=_percentiles(summary["time_to_first_token"]),
        itl_milliseconds=_percentiles(summary["inter_token_latency"]),
        request_milliseconds=_percentiles(summary["request_latency"]),
    )


def _percentiles(metric: Mapping[str, float]) -> Percentiles:
    return Percentiles(average=metric["avg"], **{name: metric[name] for name in ("p50", "p90", "p95", "p99")})


def _count(summary: Mapping[str, Any], metric: str) -> int:
    return round((summary.get(metric) or {}).get("avg", 0))


def _first_error(summary: Mapping[str, Any]) -> str | None:
    """Return what most of the errors said."""
    most = max(summary.get("error_summary") or [], key=lambda entry: entry["count"], default=None)
    if most is None:
        return None
    words = (str(most["error_details"].get(key) or "") for key in ("code", "type", "message"))
    return " ".join(" ".join(words).split()) or None


_COLUMNS = 400
_OFFLINE = "HF_HUB_OFFLINE"


def installed_aiperf(name: str) -> str:
    """Return the program of that name or path, which must have the version that the Job has.

    Raises:
        CommandError: it is not there, does not start, or is another version.

    """
    executable = shutil.which(name)
    get_it = f"  try: `uv tool install aiperf=={AIPERF_VERSION}`, or `pipx install aiperf=={AIPERF_VERSION}`"
    if executable is None:
        raise CommandError(
            f"`{name}` is needed to measure from here, and not on PATH\n{get_it}; "
            "--aiperf PROGRAM names one that is somewhere else"
        )
    done = subprocess.run([executable, "--version"], capture_output=True, text=True, check=False)
    version = done.stdout.strip().rpartition(" ")[2]
    if version != AIPERF_VERSION:
        said = version or f"of no version: {failure_reason(done.stderr.splitlines())}"
        raise CommandError(
            f"{executable} is AIPerf {said}; figures compare only if one version has measured them, "
            f"and the Jobs have {AIPERF_VERSION}\n{get_it}"
        )
    return executable


def measure(
    program: str,
    benchmark: Benchmark,
    load: Load,
    endpoint: Endpoint,
    folder: Path,
    *,
    seconds: float,
    report: Callable[[LoadProgress], None],
) -> str:
    """Send a load, keep AIPerf's files in the folder, and return its summary.

    Raises:
        CommandError: AIPerf failed, or took longer than these seconds.

    """
    arguments = aiperf_arguments(benchmark, load, endpoint, sized_for_job=False)
    folder.mkdir(parents=True)
    said: deque[str] = deque(maxlen=_LINES_KEPT)
    command = [program, *arguments, "--artifact-dir", str(folder)]
    with streamed(command, _environment(os.environ)) as process:
        try:
            for line in process.lines(time.monotonic() + seconds):
                said.append(line)
                if progress := read_progress(line):
                    report(progress)
        except TimeoutError:
            raise CommandError(
                f"{load.shape} at {load.concurrency}: AIPerf had not ended after {seconds:.0f} s and was "
                "interrupted\n  try: a longer --time-limit, fewer --requests, or a lower --concurrency"
            ) from None
        code = process.exit_code()
    summary = folder / SUMMARY_FILE
    if code != 0 or not summary.is_file():
        raise CommandError(_failed(load, code, failure_reason(said), folder))
    return summary.read_text(encoding="utf-8")


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment, with the connections that one process may open, and room for the words of an error."""
    # With HF_HUB_OFFLINE AIPerf 0.13.0 refuses a tokenizer that is a directory.
    kept = {name: value for name, value in given.items() if name != _OFFLINE}
    return kept | {"AIPERF_HTTP_CONNECTION_LIMIT": str(CONNECTIONS_PER_WORKER), "COLUMNS": str(_COLUMNS)}


def _failed(load: Load, code: int, reason: str, folder: Path) -> str:
    text = f"{load.shape} at {load.concurrency}: AIPerf ended with exit code {code}: {reason}"
    if "tokenizer" in reason.lower() or "tiktoken" in reason:
        text += "\n  try: --tokenizer with the directory of the model's tokenizer.json on this machine"
    return f"{text}\n  its files: {folder}"
