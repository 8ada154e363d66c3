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
            stopping = {each.observation.subject for each in report.findings if each.stops}
            assert stopping == case.stops, messages(report)
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


def _case(rule: str, name: str) -> Case:
    [case] = [each for each in CASES if isinstance(each, Case) and (each.rule, each.name) == (rule, name)]
    return case
