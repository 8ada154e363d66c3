"""Which earlier measurements stand beside a new one."""

from operations.benchmark.history import earlier_measurements
from tests.operations.benchmark.made_results import measurement, result

NOW = result(measurement(), measurement(concurrency=16), started="2026-11-23T08:00:00Z")


def _days(*days: int) -> list[str]:
    return [f"2026-11-{day:02}T08:00:00Z" for day in days]


def test_the_three_newest_of_the_same_load_stand_beside_it() -> None:
    runs = [result(started=day) for day in _days(19, 22, 20, 21)]
    found = earlier_measurements(NOW, runs)
    assert [each.started for each in found["128/1000", 4]] == _days(22, 21, 20)
    assert found["128/1000", 16] == []


def test_a_run_is_not_compared_with_itself_nor_with_a_later_one() -> None:
    assert earlier_measurements(NOW, [NOW, result(started="2026-11-24T08:00:00Z")])["128/1000", 4] == []


def test_unlike_runs_never_stand_beside_each_other() -> None:
    [before] = _days(20)
    others = [
        result(started=before, engine="mock"),
        result(started=before, target="disagg-b200"),
        result(started=before, generator="here"),
        result(started=before, aiperf="0.12.0"),
        result(measurement(shape="8192/1024"), started=before),
    ]
    assert earlier_measurements(NOW, others)["128/1000", 4] == []
