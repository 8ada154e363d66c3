"""What a change makes of findings and waivers."""

from __future__ import annotations

import datetime as dt

from comparison.finding_changes import finding_changes, waiver_changes
from tests.comparison.made_up import finding, waiver

TODAY = dt.date(2026, 11, 24)


def test_a_finding_with_other_numbers_in_its_message_is_still_there() -> None:
    found = finding_changes([finding(message="9 of 8")], [finding(message="10 of 8")])
    assert [each.message for each in found.still_there] == ["10 of 8"]
    assert (found.new, found.fixed) == ((), ())


def test_a_second_finding_about_the_same_part_is_new() -> None:
    found = finding_changes([finding()], [finding(), finding(message="another")])
    assert [each.message for each in found.new] == ["another"]
    assert len(found.still_there) == 1


def test_a_waived_finding_is_not_fixed() -> None:
    found = finding_changes([finding()], [finding(status="waived")])
    assert (len(found.waived), found.fixed, found.stopping) == (1, (), ())


def test_a_finding_whose_waiver_is_gone_is_new_and_stops() -> None:
    found = finding_changes([finding(status="waived")], [finding()])
    assert found.stopping == found.new == (finding(),)


def test_neither_advice_nor_what_is_undecided_stops() -> None:
    found = finding_changes([], [finding(severity="advisory"), finding(status="undecided")])
    assert len(found.new) == 2
    assert found.stopping == ()


def test_mandatory_findings_come_first() -> None:
    found = finding_changes([], [finding("advice", severity="advisory"), finding("must")])
    assert [each.rule for each in found.new] == ["must", "advice"]


def test_a_waiver_holds_on_its_last_day_and_has_expired_the_day_after() -> None:
    last = waiver(TODAY.isoformat())
    assert waiver_changes([last], [last], TODAY).expired == ()
    assert waiver_changes([last], [last], TODAY + dt.timedelta(days=1)).expired == (last,)


def test_a_waiver_expires_soon_from_fourteen_days_before() -> None:
    soon, later = waiver("2026-12-08", "soon"), waiver("2026-12-09", "later")
    assert waiver_changes([soon, later], [soon, later], TODAY).expiring == (soon,)


def test_a_waiver_that_is_prolonged_is_new_and_not_removed() -> None:
    old, new = waiver("2026-12-01"), waiver("2027-12-01")
    found = waiver_changes([old], [new], TODAY)
    assert (found.new, found.removed) == ((new,), ())


def test_a_waiver_that_is_gone_is_removed() -> None:
    assert waiver_changes([waiver("2027-01-01")], [], TODAY).removed == (waiver("2027-01-01"),)
