"""What the log of a benchmark Job says: progress, and the results between its own lines."""

from collections import deque

from operations.benchmark.aiperf_output import LoadProgress, failure_reason, read_progress
from recipes.benchmark_job import RESULT_FOLLOWS

_LINES_KEPT = 400
_END_OF_SUMMARY = "}"


class JobLog:
    """Reads a log line by line."""

    def __init__(self) -> None:
        self.results: dict[int, str] = {}
        """AIPerf's summary of each load that has ended, by its number from 1."""
        self._said: deque[str] = deque(maxlen=_LINES_KEPT)
        self._number: int | None = None
        self._lines: list[str] = []

    def read(self, line: str) -> LoadProgress | None:
        """Take a line; return how far the load is, where the line says it."""
        if self._number is not None:
            self._read_summary(self._number, line)
            return None
        # A progress bar may stand before it: such a bar ends with no line break.
        _, mark, rest = line.rpartition(RESULT_FOLLOWS)
        if mark and rest.strip().isdigit():
            self._number, self._lines = int(rest), []
            return None
        progress = read_progress(line)
        if progress is None and line.strip():
            self._said.append(line)
        return progress

    def reason(self) -> str:
        """Return why the Job's program ended."""
        return failure_reason(self._said)

    def _read_summary(self, number: int, line: str) -> None:
        self._lines.append(line)
        # AIPerf indents what is inside.
        if line == _END_OF_SUMMARY:
            self.results[number] = "\n".join(self._lines)
            self._number = None
