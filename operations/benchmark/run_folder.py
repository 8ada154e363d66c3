"""A folder for each run, which no other run writes to."""

import os
from pathlib import Path

from operations.benchmark.result import BenchmarkResult
from operations.errors import CommandError

RESULT_FILE = "result.json"
_MOST_OF_ONE_NAME = 100


def make_run_folder(results: Path, started: str, target: str, shapes: str) -> Path:
    """Make and return a folder that did not exist: two runs of one second get one each.

    Raises:
        CommandError: the folder cannot be made.

    """
    words = [started.replace("-", "").replace(":", ""), target.rpartition("://")[2], shapes]
    name = "-".join("".join(sign if sign.isalnum() else "-" for sign in word).strip("-") for word in words)
    try:
        results.mkdir(parents=True, exist_ok=True)
        for number in range(1, _MOST_OF_ONE_NAME):
            folder = results / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise CommandError(f"{results}: no folder for the results can be made: {error.strerror}") from None
    raise CommandError(f"{results}: there are {_MOST_OF_ONE_NAME} folders {name} already")


def write_result(folder: Path, result: BenchmarkResult) -> Path:
    """Write result.json at once, so that nobody reads half of one; return its path."""
    return write_whole(folder / RESULT_FILE, result.model_dump_json(by_alias=True, indent=2) + "\n")


def write_whole(file: Path, text: str) -> Path:
    """Write a file that is there with all of its text or not at all; return its path."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(file)
