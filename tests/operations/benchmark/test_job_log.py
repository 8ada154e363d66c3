"""What is read of the log of a Job."""

from operations.benchmark.aiperf_output import LoadProgress
from operations.benchmark.job_run import JobLog
from recipes.benchmark_job import RESULT_FOLLOWS


def _read(*lines: str) -> tuple[JobLog, list[LoadProgress]]:
    log = JobLog()
    return log, [progress for line in lines if (progress := log.read(line))]


def test_results_are_what_stands_between_their_line_and_their_last_brace() -> None:
    log, _ = _read(f"{RESULT_FOLLOWS} 1", "{", '  "a": {', "  }", "}", "", f"{RESULT_FOLLOWS} 2", "{", "}")
    assert log.results == {1: '{\n  "a": {\n  }\n}', 2: "{\n}"}


def test_a_result_that_is_cut_off_is_none() -> None:
    log, _ = _read(f"{RESULT_FOLLOWS} 1", "{", '  "a": 1')
    assert log.results == {}


def test_a_bar_before_the_line_of_a_result_does_not_hide_it() -> None:
    log, progress = _read("Profiling: 3/20 |", f"Profiling: 20/20 |{RESULT_FOLLOWS} 1", "{", "}")
    assert log.results == {1: "{\n}"}
    assert progress == [LoadProgress("Profiling", 3, 20)]


def test_why_it_ended_is_what_aiperf_said_last() -> None:
    log, _ = _read("starting", "08:23:22.382 ERROR    no such host", "Profiling: 3/20 |")
    assert log.reason() == "no such host"
