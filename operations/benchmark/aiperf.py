"""AIPerf: run on this machine, what it prints, why it ended, and the summary that it writes of one load."""

import json
import os
import re
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from failures.explanation import without_colours
from operations.benchmark.result import Measurement, Percentiles
from operations.errors import CommandError
from operations.streamed_process import streamed
from recipes.benchmark import (
    AIPERF_VERSION,
    CONNECTIONS_PER_WORKER,
    Benchmark,
    Endpoint,
    Load,
    aiperf_arguments,
)
from recipes.benchmark_job import RESULT_FOLLOWS

_BAR = re.compile(r"\b(Warmup|Profiling): +([\d,]+)/([\d,]+)")
_FRAME = "│╭╮╰╯─"
_REASON = re.compile(
    r"^Reason:(.*?)(?=^(?:Cause:|•|Service:|Operation:|Error:|Log File:)|\Z)", re.MULTILINE | re.DOTALL
)
_ALL_FAILED = "All "
"""Begins AIPerf's words where no request was answered; the reason is in the error of each request."""
_LOGGED_ERROR = re.compile(r"\b(?:ERROR|CRITICAL)\s+(.*)")


Progress: TypeAlias = tuple[str, int, int]
"""What AIPerf does, Warmup or Profiling; how many of the load's requests are done; and how many there are."""


def read_progress(line: str) -> Progress | None:
    """Return what a line says of the progress; None for any other line."""
    found = _BAR.findall(without_colours(line))
    if not found:
        return None
    step, done, total = found[-1]
    return step, int(done.replace(",", "")), int(total.replace(",", ""))


def failure_reason(lines: Iterable[str]) -> str:
    """Return why AIPerf ended: the first reason that it gives, else its last error, else its last words."""
    plain = [without_colours(line).strip().strip(_FRAME).strip() for line in lines]
    said = [line for line in plain if line and read_progress(line) is None]
    reason = _REASON.search("\n".join(said))
    given = " ".join(reason[1].split()) if reason else None
    logged = [match[1] for line in said if (match := _LOGGED_ERROR.search(line))]
    error = next((each for each in reversed(logged) if not each.startswith(_ALL_FAILED)), None)
    if given and given.startswith(_ALL_FAILED) and error:
        return f"{given} The last of them: {error}"
    return given or error or (said[-1] if said else "it says nothing")


_LINES_KEPT = 400
_END_OF_SUMMARY = "}"


class AIPerfLog:
    """What AIPerf prints, line by line; in a Job its summaries too."""

    def __init__(self) -> None:
        self.results: dict[int, str] = {}
        """AIPerf's summary of each load that has ended, by its number from 1; the first ones may be lost."""
        self._said: deque[str] = deque(maxlen=_LINES_KEPT)
        self._number: int | None = None
        self._summary: list[str] = []

    def read(self, line: str) -> Progress | None:
        """Take a line; return how far the load is, where the line says it."""
        if self._number is not None:
            self._summary.append(line)
            # AIPerf indents what is inside.
            if line == _END_OF_SUMMARY:
                self.results[self._number] = "\n".join(self._summary)
                self._number = None
            return None
        # A progress bar may stand before it: such a bar ends with no line break.
        _, mark, number = line.rpartition(RESULT_FOLLOWS)
        if mark and number.strip().isdigit():
            self._number, self._summary = int(number), []
            return None
        progress = read_progress(line)
        if progress is None and line.strip():
            self._said.append(line)
        return progress

    def reason(self) -> str:
        """Return why the Job's program ended."""
        return failure_reason(self._said)


SUMMARY_FILE = "profile_export_aiperf.json"
_SCHEMA = "1.4"


def read_summary(text: str, load: Load, gpus: int | None) -> Measurement:
    """Return what AIPerf measured.

    Args:
        text: the summary.
        load: what was sent.
        gpus: by which throughput is divided; None where it is not to be.

    Raises:
        CommandError: not a summary of a load that ran to its end.

    """
    try:
        return _measurement(_whole(text), load, gpus)
    except CommandError as error:
        raise CommandError(f"{load.shape} at {load.concurrency}: {error}") from None


def _whole(text: str) -> Mapping[str, Any]:
    """The summary of a load that ran to its end; raises CommandError, as all that reads it does."""
    try:
        summary = json.loads(text)
    except ValueError:
        summary = None
    if not isinstance(summary, dict):
        raise CommandError("not the summary of AIPerf, which is a JSON object")
    version = summary.get("schema_version")
    if version != _SCHEMA:
        raise CommandError(f"AIPerf's summary has schema_version {version!r}; only {_SCHEMA} is understood")
    if summary.get("was_cancelled") or not summary.get("is_complete"):
        raise CommandError("AIPerf was interrupted before its load had ended")
    if not _count(summary, "request_count"):
        raise CommandError(f"no request was answered; {_first_error(summary) or 'AIPerf does not say why'}")
    return summary


def _measurement(summary: Mapping[str, Any], load: Load, gpus: int | None) -> Measurement:
    tokens_per_second = _figure(summary, "output_token_throughput")
    return Measurement(
        shape=load.shape,
        concurrency=load.concurrency,
        requests=_count(summary, "request_count"),
        errors=_count(summary, "error_request_count"),
        first_error=_first_error(summary),
        seconds=_figure(summary, "benchmark_duration"),
        input_tokens=_figure(summary, "input_sequence_length"),
        output_tokens=_figure(summary, "output_sequence_length"),
        requests_per_second=_figure(summary, "request_throughput"),
        output_tokens_per_second=tokens_per_second,
        output_tokens_per_second_per_gpu=tokens_per_second / gpus if gpus else None,
        output_tokens_per_second_per_user=_figure(summary, "output_token_throughput_per_user"),
        ttft_milliseconds=_percentiles(summary, "time_to_first_token"),
        itl_milliseconds=_percentiles(summary, "inter_token_latency"),
        request_milliseconds=_percentiles(summary, "request_latency"),
    )


def _percentiles(summary: Mapping[str, Any], metric: str) -> Percentiles:
    names = {"average": "avg", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
    return Percentiles(**{name: _figure(summary, metric, key) for name, key in names.items()})


def _figure(summary: Mapping[str, Any], metric: str, key: str = "avg") -> float:
    value = (summary.get(metric) or {}).get(key)
    if value is None:
        raise CommandError(f"AIPerf's summary has no {metric}.{key}, which a streamed answer gives it")
    return value


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
    if done.returncode != 0:
        reason = failure_reason(done.stderr.splitlines())
        raise CommandError(f"`{executable} --version` failed: {reason}\n{get_it}")
    version = done.stdout.strip().rpartition(" ")[2]
    if version != AIPERF_VERSION:
        raise CommandError(
            f"{executable} is AIPerf {version}; figures compare only if one version has measured them, "
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
    report: Callable[[Progress], None],
) -> str:
    """Send a load, keep AIPerf's files in the folder, and return its summary.

    Raises:
        CommandError: AIPerf failed, or took longer than these seconds.

    """
    arguments = aiperf_arguments(benchmark, load, endpoint, sized_for_job=False)
    folder.mkdir(parents=True)
    log = AIPerfLog()
    command = [program, *arguments, "--artifact-dir", str(folder)]
    with streamed(command, _environment(os.environ)) as process:
        try:
            for line in process.lines(time.monotonic() + seconds):
                if progress := log.read(line or ""):
                    report(progress)
        except TimeoutError:
            raise CommandError(
                f"{load.shape} at {load.concurrency}: AIPerf had not ended after {seconds:.0f} s and was "
                "interrupted\n  try: a longer --time-limit, fewer --requests, or a lower --concurrency"
            ) from None
        code = process.exit_code()
    summary = folder / SUMMARY_FILE
    if code != 0 or not summary.is_file():
        raise CommandError(_failed(load, code, log.reason(), folder))
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
