"""Runs AIPerf on this machine."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from operations.benchmark.aiperf_output import SUMMARY_FILE, AIPerfLog, LoadProgress, failure_reason
from operations.errors import CommandError
from operations.streamed_process import streamed
from recipes.aiperf_command import Endpoint, aiperf_arguments
from recipes.benchmark import AIPERF_VERSION, CONNECTIONS_PER_WORKER, Benchmark
from recipes.benchmark_load import Load

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
    report: Callable[[LoadProgress], None],
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
