"""What a worker is started with, where a test is about one part of it."""

from dataclasses import replace
from typing import Any

from engines.engine import WorkerStart

_START = WorkerStart(
    served_name="m",
    role="worker",
    arguments=(),
    runtime_version="1.2.1",
    model_path="/m",
    engine_file_path="/e",
    algorithm=None,
    draft_directories={},
)


def worker_start(**changes: Any) -> WorkerStart:
    """Return the start of an aggregated worker with these fields changed."""
    return replace(_START, **changes)
