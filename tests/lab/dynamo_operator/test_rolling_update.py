"""When a managed rolling update starts and ends, and what becomes of old generations."""

from __future__ import annotations

from lab.dynamo_operator.rolling_update import Decision, decide

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
OLD, NEW = "aaaaaaaa", "bbbbbbbb"
PENDING = {"startTime": NOW, "phase": "Pending"}
IN_PROGRESS = {"startTime": NOW, "phase": "InProgress"}
OLD_SERVES = {"Decode": False, "Prefill": False}
ONE_MOVED = {"Decode": True, "Prefill": False}
BOTH_MOVED = {"Decode": True, "Prefill": True}


def test_an_update_is_pending_in_progress_and_completed_when_every_worker_has_moved() -> None:
    assert decide(OLD, NEW, None, OLD_SERVES, NOW) == Decision(OLD, PENDING)
    assert decide(OLD, NEW, PENDING, OLD_SERVES, LATER) == Decision(OLD, IN_PROGRESS)
    half = IN_PROGRESS | {"updatedComponents": ["Decode"]}
    assert decide(OLD, NEW, IN_PROGRESS, ONE_MOVED, LATER) == Decision(OLD, half)
    over = {"phase": "Completed", "endTime": LATER, "updatedComponents": ["Decode", "Prefill"]}
    completed = IN_PROGRESS | over
    assert decide(OLD, NEW, half, BOTH_MOVED, LATER) == Decision(NEW, completed, deletes_old=True)
    # The next one starts anew.
    assert decide(NEW, OLD, completed, OLD_SERVES, NOW) == Decision(NEW, PENDING)


def test_going_back_in_the_middle_deletes_the_new_generation_even_where_it_serves() -> None:
    back = decide(OLD, OLD, IN_PROGRESS, {"Decode": False}, LATER)
    assert (back.current, back.deletes_old) == (OLD, True)
    assert (back.status or {})["phase"] == "Completed"


def test_a_graph_without_a_hash_is_taken_for_new_and_keeps_its_old_workers() -> None:
    assert decide("", NEW, None, OLD_SERVES, NOW) == Decision(NEW, None)
    assert decide(NEW, NEW, None, BOTH_MOVED, NOW) == Decision(NEW, None)
