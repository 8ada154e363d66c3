"""Every case of every rule, and what other rules and a deployment make of some of them."""

from pathlib import Path

import pytest

from rules.catalogue import RULES
from tests.rules.bases import BASES
from tests.rules.case import ALL_RULES, RULE, Case, judge_base, judge_case, judge_settings, undecided
from tests.rules.cases import CASES
from tests.rules.judging import DECODE, PREFILL, Found, found, messages
from tests.rules.published_findings import unread_service, unread_words, unread_worker

GPUS, HOP, PAIR = "gpus-match-parallelism", "kv-hop-has-a-transport", f"{PREFILL}, {DECODE}"
_OF_A_WAY = ("placement", "privileges", "proven", "settings")
# A silent rule would look like a pass.
_READ_AS_WELL: dict[tuple[str, str], frozenset[Found]] = {
    (GPUS, "a start script with unknown further words"): unread_words(DECODE),
    (GPUS, "an amount that is no number"): unread_worker(DECODE),
    (GPUS, "a service that is no mapping"): unread_service("Broken"),
    (GPUS, "two engines in one container"): undecided("prefill-and-decode-agree", PAIR),
    (HOP, "an amount that is no number"): frozenset[Found]().union(
        *(undecided(f"kv-transport-{rule}", "gpt-oss-efa") for rule in _OF_A_WAY)
    ),
    ("cache-shared-by-nodes", "two claims of one name"): undecided("cache-holds-the-model", "model-cache"),
    ("secrets-not-in-plain-values", "a token that is not known yet and no reference"): undecided(
        "secrets-not-in-plain-values", "VllmWorker"
    ),
    ("one-compute-domain", "a number that is none"): undecided(
        "one-compute-domain", "gpt-oss-disagg-compute-domain"
    ),
}


@pytest.mark.parametrize("rule", RULE)
def test_each_case_of_a_rule_gives_exactly_its_findings(
    rule: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case in (case for case in CASES if case.rule == rule):
        with subtests.test(case.name):
            report = (
                judge_case(case, tmp_path, BASES[case.base])
                if isinstance(case, Case)
                else judge_settings(case.settings, RULE[rule])
            )
            assert found(report) == case.found, messages(report)
            assert [text for text in case.says if text not in messages(report)] == [], messages(report)


@pytest.mark.parametrize("name", BASES)
def test_a_base_has_the_findings_that_it_lists_and_no_others(name: str, tmp_path: Path) -> None:
    report = judge_base(name, BASES[name], tmp_path, (), BASES[name].pools)
    assert found(report) == BASES[name].found, messages(report)


def test_every_rule_has_a_case_in_which_it_fails_and_one_in_which_it_is_silent() -> None:
    failing = {item[:2] for case in CASES for item in case.found}
    assert [rule.id for rule in RULES if (rule.id, "failed") not in failing] == []
    loud = frozenset.intersection(*(frozenset(item[0] for item in base.found) for base in BASES.values()))
    assert loud == frozenset(), "these rules find something in every base"


@pytest.mark.parametrize(("rule", "name"), _READ_AS_WELL, ids=str)
def test_what_cannot_be_read_is_undecided_for_every_rule_that_reads_it(
    rule: str, name: str, tmp_path: Path
) -> None:
    case = _case(rule, name)
    report = judge_case(case, tmp_path, BASES[case.base], ALL_RULES)
    assert _READ_AS_WELL[rule, name] <= found(report), messages(report)


@pytest.mark.parametrize(
    ("rule", "name", "stops"),
    [
        ("model-path-mounted", "a directory where nothing is mounted", True),
        ("model-path-mounted", "a download beside the claim", False),
        ("engine-settings-accepted", "a key with a letter too many, in a release whose keys were read", True),
        ("engine-settings-accepted", "slips between two releases that were read", True),
        ("values-accepted", "what no Kubernetes takes in pods, in a release without a schema", True),
        ("service-reaches-pods", "a further port that no server is known to have", False),
        ("service-reaches-pods", "a headless Service with a port of nobody", False),
        ("service-reaches-pods", "a target port that no container calls so, and a proxy's", False),
        # On one kind of nodes it lands where it should, and nodes without GPUs do not take it.
        ("pod-selects-a-pool", "no selection at all", False),
        ("named-secrets-exist", "a token under another key", True),
        ("named-secrets-exist", "a key that the ConfigMap does not have", True),
    ],
)
def test_what_surely_ends_a_start_stops_and_what_may_go_well_is_advice(
    tmp_path: Path, rule: str, name: str, stops: bool
) -> None:
    case = _case(rule, name)
    report = judge_case(case, tmp_path, BASES[case.base])
    assert [each.stops for each in report.findings] == [stops] * len(report.findings)
    assert report.findings


def _case(rule: str, name: str) -> Case:
    [case] = [each for each in CASES if isinstance(each, Case) and (each.rule, each.name) == (rule, name)]
    return case
