"""How far a run is, as a person at a terminal sees it, and as a log holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli import bench_progress
from cli.bench_progress import BenchProgress
from operations.benchmark.aiperf_output import Progress
from recipes.benchmark_load import Load
from tests.operations.benchmark.made_results import measurement

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

LOAD = Load(128, 1000, 4, 40, 4, 44)


def _told(tell: Callable[[BenchProgress], None], capsys: pytest.CaptureFixture[str]) -> str:
    with BenchProgress(2) as progress:
        progress.began(LOAD)
        tell(progress)
    seen = capsys.readouterr()
    assert seen.out == ""
    return seen.err


def test_without_a_terminal_a_step_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    def tell(progress: BenchProgress) -> None:
        for done in (1, 2, 3):
            progress.progress(Progress("Profiling", done, 40))

    assert _told(tell, capsys).splitlines() == [
        "[1/2] 128/1000 at 4: 40 requests, after 4 to warm up",
        "[1/2] 128/1000 at 4: measuring, 1 of 40",
    ]


def test_a_long_step_is_told_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_progress, "_PLAIN_SECONDS", 0.0)

    def tell(progress: BenchProgress) -> None:
        for done in (1, 2):
            progress.progress(Progress("Profiling", done, 40))

    assert _told(tell, capsys).splitlines()[1:] == [
        "[1/2] 128/1000 at 4: measuring, 1 of 40",
        "[1/2] 128/1000 at 4: measuring, 2 of 40",
    ]


def test_a_terminal_shows_a_bar_with_the_load_and_sentences_above_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)

    def tell(progress: BenchProgress) -> None:
        progress.progress(Progress("Profiling", 16, 40))
        progress.said("Job b waits: \x1b[2Jno node")

    text = _told(tell, capsys)
    assert "[1/2] 128/1000 at 4: measuring" in text
    assert "16/40" in text
    assert "no node" in text
    assert "\x1b[2J" not in text


def test_errors_of_a_load_are_told_with_the_commonest(capsys: pytest.CaptureFixture[str]) -> None:
    def tell(progress: BenchProgress) -> None:
        progress.measured(measurement(errors=7, first_error="500 no room"))

    assert _told(tell, capsys).splitlines()[-1] == (
        "128/1000 at 4: 40 answered, 7 failed: 500 no room, in 10 s"
    )
