"""When a managed rolling update starts and ends, and what becomes of old generations."""

from __future__ import annotations

from typing import Any

from lab.dynamo_operator.rolling_update import Decision, Hashes, WorkerCounts, decide

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
OLD, NEW = "aaaaaaaa", "bbbbbbbb"
PENDING = {"startTime": NOW, "phase": "Pending"}
IN_PROGRESS = {"startTime": NOW, "phase": "InProgress"}
CHANGED = Hashes(OLD, NEW)
SETTLED = Hashes(NEW, NEW)
OLD_SERVES = [WorkerCounts("Decode", 1, 0, 1), WorkerCounts("Prefill", 1, 0, 1)]
ONE_MOVED = [WorkerCounts("Decode", 1, 1, 0), WorkerCounts("Prefill", 1, 1, 1)]
BOTH_MOVED = [WorkerCounts("Decode", 1, 1, 0), WorkerCounts("Prefill", 1, 1, 0)]


def decided(hashes: Hashes, status: dict[str, Any] | None, workers: list[WorkerCounts]) -> Decision:
    return decide(hashes, status, workers, LATER)


def test_a_new_graph_starts_with_its_hash_and_without_an_update() -> None:
    assert decided(Hashes("", NEW), None, []) == Decision(NEW, None)
    assert decided(SETTLED, None, BOTH_MOVED) == Decision(NEW, None)


def test_an_update_is_pending_in_progress_and_completed_when_every_worker_has_moved() -> None:
    started = decided(CHANGED, None, OLD_SERVES)
    assert started == Decision(OLD, {"startTime": LATER, "phase": "Pending"})
    assert decided(CHANGED, PENDING, OLD_SERVES) == Decision(OLD, IN_PROGRESS)
    half = decided(CHANGED, IN_PROGRESS, ONE_MOVED)
    assert half == Decision(OLD, IN_PROGRESS | {"updatedServices": ["Decode"]})
    assert half.is_rolling
    done = decided(CHANGED, IN_PROGRESS, BOTH_MOVED)
    assert done == Decision(
        NEW,
        {
            "startTime": NOW,
            "phase": "Completed",
            "endTime": LATER,
            "updatedServices": ["Decode", "Prefill"],
        },
        deletes_old=True,
    )
    assert not done.is_rolling


def test_the_next_update_starts_anew() -> None:
    completed = IN_PROGRESS | {"phase": "Completed", "endTime": NOW}
    again = decided(CHANGED, completed, OLD_SERVES)
    assert again == Decision(OLD, {"startTime": LATER, "phase": "Pending"})


def test_an_update_waits_for_ever_for_a_worker_that_does_not_start() -> None:
    stuck = [WorkerCounts("Decode", 1, 0, 1), WorkerCounts("Prefill", 1, 1, 0)]
    decision = decided(CHANGED, IN_PROGRESS, stuck)
    assert decision == Decision(OLD, IN_PROGRESS | {"updatedServices": ["Prefill"]})


def test_going_back_in_the_middle_deletes_the_new_generation_even_where_it_serves() -> None:
    back = decided(Hashes(OLD, OLD), IN_PROGRESS, [WorkerCounts("Decode", 1, 0, 1)])
    assert back.deletes_old
    assert (back.current, back.is_rolling) == (OLD, False)


def test_a_graph_that_lost_its_hash_is_taken_for_new_and_keeps_its_old_workers() -> None:
    assert decided(Hashes("", NEW), None, OLD_SERVES) == Decision(NEW, None)
