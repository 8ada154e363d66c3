"""What is told of a run, at a terminal and in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.benchmark.aiperf_output import LoadProgress
from operations.benchmark.progress import BenchProgress, bench_progress
from recipes.benchmark_load import Load
from tests.operations.benchmark.made_results import measurement

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

LOAD = Load(128, 1000, 4, 40, 4, 44)


def _told(tell: Callable[[BenchProgress], None], capsys: pytest.CaptureFixture[str]) -> str:
    with bench_progress(2) as progress:
        progress.began(LOAD)
        tell(progress)
    seen = capsys.readouterr()
    assert seen.out == ""
    return seen.err


def test_a_log_holds_a_line_where_a_load_begins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    def tell(progress: BenchProgress) -> None:
        progress.moved(LoadProgress("Profiling", 1, 40))
        progress.measured(measurement(errors=7, first_error="500 no room"))

    assert _told(tell, capsys).splitlines() == [
        "[1/2] 128/1000 at 4: 40 requests, after 4 to warm up",
        "128/1000 at 4: 40 answered, 7 failed: 500 no room, in 10 s",
    ]


def test_a_terminal_shows_a_bar_with_the_load_and_sentences_above_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)

    def tell(progress: BenchProgress) -> None:
        progress.moved(LoadProgress("Profiling", 16, 40))
        progress.said("Job b waits: \x1b[2Jno node")

    text = _told(tell, capsys)
    assert "[1/2] 128/1000 at 4 Profiling" in text
    assert "16/40" in text
    assert "no node" in text
    assert "\x1b[2J" not in text
