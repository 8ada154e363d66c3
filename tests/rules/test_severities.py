"""Which findings of a rule that gives both stop a deployment, and which are advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rules.bases import BASES
from tests.rules.case import Case, judge_case
from tests.rules.cases import CASES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("rule", "name", "stops"),
    [
        ("model-path-mounted", "a directory where nothing is mounted", True),
        ("model-path-mounted", "a download beside the claim", False),
        ("named-secrets-exist", "a token under another key", True),
        ("named-secrets-exist", "a key that the ConfigMap does not have", True),
        ("network-policies-admit", "no way out for a server that asks the hub for its model", True),
        ("network-policies-admit", "no way out for a server that may find its model on a claim", False),
        ("service-reaches-pods", "an HTTPRoute to a port that the Service does not have", True),
        ("service-reaches-pods", "an HTTPRoute to a port of a Service elsewhere", False),
    ],
)
def test_what_surely_ends_a_start_stops_and_what_may_go_well_is_advice(
    tmp_path: Path, rule: str, name: str, stops: bool
) -> None:
    [case] = [each for each in CASES if isinstance(each, Case) and (each.rule, each.name) == (rule, name)]
    report = judge_case(case, tmp_path, BASES[case.base])
    assert [each.stops for each in report.findings] == [stops] * len(report.findings)
    assert report.findings
