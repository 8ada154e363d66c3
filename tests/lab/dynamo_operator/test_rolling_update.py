"""When a managed rolling update starts and ends, and what becomes of old generations."""

from __future__ import annotations

from typing import Any

from lab.dynamo_operator.generations import Hashes
from lab.dynamo_operator.rolling_update import (
    Decision,
    WorkerCounts,
    decide,
    generation_hash,
    is_active,
    migrated,
)

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
OLD, NEW = Hashes("aaaaaaaa", "aaaa2222"), Hashes("bbbbbbbb", "bbbb2222")
NONE = Hashes("", "")
PENDING = {"startTime": NOW, "phase": "Pending"}
IN_PROGRESS = {"startTime": NOW, "phase": "InProgress"}
OLD_SERVES = [WorkerCounts("Decode", 1, 0, 1), WorkerCounts("Prefill", 1, 0, 1)]
ONE_MOVED = [WorkerCounts("Decode", 1, 1, 0), WorkerCounts("Prefill", 1, 1, 1)]
BOTH_MOVED = [WorkerCounts("Decode", 1, 1, 0), WorkerCounts("Prefill", 1, 1, 0)]


def decided(
    current: Hashes, desired: Hashes, status: dict[str, Any] | None, workers: list[WorkerCounts]
) -> Decision:
    return decide(current, desired, status, workers, LATER)


def test_a_new_graph_starts_with_its_hash_and_without_an_update() -> None:
    assert decided(NONE, NEW, None, []) == Decision(NEW, None)
    assert decided(NEW, NEW, None, BOTH_MOVED) == Decision(NEW, None)


def test_an_update_is_pending_in_progress_and_completed_when_every_worker_has_moved() -> None:
    started = decided(OLD, NEW, None, OLD_SERVES)
    assert started == Decision(OLD, {"startTime": LATER, "phase": "Pending"})
    assert decided(OLD, NEW, PENDING, OLD_SERVES) == Decision(OLD, IN_PROGRESS)
    half = decided(OLD, NEW, IN_PROGRESS, ONE_MOVED)
    assert half == Decision(OLD, IN_PROGRESS | {"updatedComponents": ["Decode"]})
    assert is_active(half.status)
    done = decided(OLD, NEW, IN_PROGRESS, BOTH_MOVED)
    assert done == Decision(
        NEW,
        {
            "startTime": NOW,
            "phase": "Completed",
            "endTime": LATER,
            "updatedComponents": ["Decode", "Prefill"],
        },
        deletes_old=True,
    )
    assert not is_active(done.status)


def test_the_next_update_starts_anew() -> None:
    completed = IN_PROGRESS | {"phase": "Completed", "endTime": NOW}
    again = decided(OLD, NEW, completed, OLD_SERVES)
    assert again == Decision(OLD, {"startTime": LATER, "phase": "Pending"})


def test_an_update_waits_for_ever_for_a_worker_that_does_not_start() -> None:
    stuck = [WorkerCounts("Decode", 1, 0, 1), WorkerCounts("Prefill", 1, 1, 0)]
    decision = decided(OLD, NEW, IN_PROGRESS, stuck)
    assert decision == Decision(OLD, IN_PROGRESS | {"updatedComponents": ["Prefill"]})


def test_going_back_in_the_middle_deletes_the_new_generation_even_where_it_serves() -> None:
    back = decided(OLD, OLD, IN_PROGRESS, [WorkerCounts("Decode", 1, 0, 1)])
    assert back.deletes_old
    assert (back.current, is_active(back.status)) == (OLD, False)


def test_a_graph_that_lost_its_hash_is_taken_for_new_and_keeps_its_old_workers() -> None:
    assert decided(NONE, NEW, None, OLD_SERVES) == Decision(NEW, None)


def test_another_annotation_alone_gives_up_the_first_hash_and_names_workers_by_the_second() -> None:
    annotated = Hashes(OLD.v1, "cccc2222")
    current = migrated(OLD, annotated)
    assert current == Hashes("", OLD.v2)
    assert generation_hash(current, annotated) == annotated.v2
    done = decided(current, annotated, IN_PROGRESS, BOTH_MOVED)
    assert (done.current, done.deletes_old) == (Hashes("", annotated.v2), True)
    # From then on the second hash names every generation, also where the first changes with it.
    assert migrated(done.current, NEW) == done.current
    assert generation_hash(done.current, NEW) == NEW.v2


def test_workers_of_a_graph_with_both_hashes_are_named_by_the_first() -> None:
    assert generation_hash(NONE, NEW) == generation_hash(OLD, NEW) == generation_hash(NEW, NEW) == NEW.v1
    assert migrated(Hashes(NEW.v1, ""), NEW) == NEW
