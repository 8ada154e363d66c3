"""What a change makes of findings and waivers."""

from comparison.finding_changes import FindingChanges, WaiverChanges, finding_changes, waiver_changes
from tests.comparison.made_up import finding, waiver


def test_a_finding_with_other_numbers_in_its_message_is_still_there() -> None:
    found = finding_changes([finding(message="9 of 8")], [finding(message="10 of 8")])
    assert found == FindingChanges(still_there=(finding(message="10 of 8"),))


def test_a_second_finding_about_the_same_part_is_new() -> None:
    found = finding_changes([finding()], [finding(), finding(message="another")])
    assert found == FindingChanges(new=(finding(message="another"),), still_there=(finding(),))


def test_a_finding_is_waived_and_not_fixed_and_without_its_waiver_it_stops_again() -> None:
    waived = finding(status="waived")
    assert finding_changes([finding()], [waived]) == FindingChanges(waived=(finding(),))
    assert finding_changes([waived], [finding()]).stopping == (finding(),)


def test_mandatory_findings_come_first_and_neither_advice_nor_what_is_undecided_stops() -> None:
    advice, undecided = finding("advice", severity="advisory"), finding("unknown", status="undecided")
    found = finding_changes([], [advice, undecided, finding("must")])
    assert [each.rule for each in found.new] == ["must", "unknown", "advice"]
    assert found.stopping == (finding("must"),)


def test_a_waiver_that_is_prolonged_is_new_and_one_that_is_gone_is_removed() -> None:
    old, new = waiver("2026-12-31"), waiver("2027-12-01")
    assert waiver_changes([old], [new]) == WaiverChanges(new=(new,))
    assert waiver_changes([old], []) == WaiverChanges(removed=(old,))
