import datetime as dt
from typing import Any

import pytest

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.model import Report
from rules.waivers import RULE_ID
from tests.rules.judging import (
    DECODE,
    FITS,
    GPUS,
    TODAY,
    TRANSPORT,
    found,
    in_program,
    judge,
    messages,
    mutated,
)

EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')
TOMORROW, YESTERDAY = TODAY + dt.timedelta(days=1), TODAY - dt.timedelta(days=1)


def waiver(rule: str = GPUS, expires: dt.date = TOMORROW) -> dict[str, Any]:
    return {"rule": rule, "reason": "half of the node is lent out", "expires": expires.isoformat()}


def judged(*waivers: Any, edits: tuple[tuple[str, str], ...] = (EIGHT_GPUS,)) -> Report:
    return judge(in_program(mutated(*edits), inputs={"waivers": list(waivers)}))


def stated(*waivers: Value) -> Report:
    component = Resource(
        urn="urn:graph", type="a:b:Graph", name="graph", custom=False, inputs={"waivers": list(waivers)}
    )
    return judge(ResourceGraph([component]))


def test_a_waived_finding_is_shown_with_its_reason_and_does_not_stop() -> None:
    report = judged(waiver())
    assert found(report) == {(GPUS, "waived", DECODE)}
    assert not report.stops
    (finding,) = report.findings
    assert str(finding.waiver) == "waived until 2026-11-22: half of the node is lent out"


@pytest.mark.parametrize("expires", [TODAY, TOMORROW])
def test_a_waiver_holds_on_its_last_day(expires: dt.date) -> None:
    assert not judged(waiver(expires=expires)).stops


def test_a_waiver_of_ten_years_holds_and_is_a_finding_of_its_own() -> None:
    report = judged(waiver(expires=TODAY + dt.timedelta(days=3650)))
    assert found(report) == {(GPUS, "waived", DECODE), (RULE_ID, "failed", f"waiver of {GPUS}")}
    assert not report.stops
    assert not any(each[0] == RULE_ID for each in found(judged(waiver())))


def test_an_expired_waiver_waives_nothing_and_is_a_finding_itself() -> None:
    report = judged(waiver(expires=YESTERDAY))
    assert found(report) == {(GPUS, "failed", DECODE), (RULE_ID, "failed", f"waiver of {GPUS}")}
    assert "expired on 2026-11-20 and waives nothing; renew or remove it" in messages(report)


def test_an_expired_waiver_stops_even_where_its_rule_passes() -> None:
    assert judged(waiver(expires=YESTERDAY), edits=()).stops


def test_a_waiver_covers_its_rule_only() -> None:
    assert (GPUS, "failed", DECODE) in found(judged(waiver(FITS)))


def test_the_rule_about_waivers_cannot_be_waived() -> None:
    report = judged(waiver(RULE_ID), waiver(expires=YESTERDAY), edits=())
    assert found(report) == {
        (RULE_ID, "failed", f"waiver of {RULE_ID}"),
        (RULE_ID, "failed", f"waiver of {GPUS}"),
    }


def test_a_waiver_that_names_no_rule_stops_and_hears_the_nearest_id() -> None:
    report = judged(waiver("gpus-match-paralelism"), edits=())
    assert report.stops
    assert f"no rule that can be waived has the id gpus-match-paralelism; did you mean {GPUS}?" in messages(
        report
    )


@pytest.mark.parametrize(
    ("heir", "became"),
    [("named-objects-exist", "is part of named-objects-exist now"), (None, "is retired; remove the waiver")],
)
def test_a_waiver_of_a_retired_rule_hears_what_became_of_it(
    monkeypatch: pytest.MonkeyPatch, heir: str | None, became: str
) -> None:
    monkeypatch.setattr("rules.waivers.SUCCESSORS", {"old-rule": heir})
    report = judged(waiver("old-rule"), edits=())
    assert report.stops
    assert f"old-rule {became}" in messages(report)


def test_of_two_waivers_for_one_rule_the_later_date_counts_and_the_expired_one_is_named() -> None:
    report = judged(waiver(expires=YESTERDAY), waiver())
    assert found(report) == {(GPUS, "waived", DECODE), (RULE_ID, "failed", f"waiver of {GPUS}")}


def test_an_advisory_finding_can_be_waived_too() -> None:
    transport = {"name": "tcp", "standing": "unproven", "reason": "slow", "ceiling": "10 a second"}
    graph = in_program(mutated(), inputs={"kvTransport": transport, "waivers": [waiver(TRANSPORT)]})
    assert found(judge(graph)) == {(TRANSPORT, "waived", "gpt-oss-disagg")}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("all of them", "is 'all of them'; a waiver has rule, reason and expires"),
        ({"rule": GPUS, "expires": "2027-01-01"}, "a waiver has rule, reason and expires, texts"),
        ({"rule": GPUS, "reason": "x", "expires": "soon"}, "expires is a date such as 2027-01-31"),
    ],
)
def test_a_waiver_of_a_wrong_shape_stops_with_words(value: Value, says: str) -> None:
    report = stated(value)
    assert report.stops
    assert says in messages(report)


def test_a_waiver_that_only_the_update_knows_waives_nothing_and_is_undecided() -> None:
    report = stated({"rule": GPUS, "reason": "x", "expires": UNKNOWN})
    assert found(report) == {(RULE_ID, "undecided", "waivers")}
    assert not report.stops


def test_waivers_of_one_stack_on_several_components_are_judged_once() -> None:
    components = [
        Resource(
            urn=f"urn:{name}",
            type="a:b:C",
            name=name,
            custom=False,
            inputs={"waivers": [waiver(expires=YESTERDAY)]},
        )
        for name in ("one", "two")
    ]
    assert len(judge(ResourceGraph(components)).findings) == 1
