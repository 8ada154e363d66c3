"""Every case of every rule, and that no rule is without one."""

from pathlib import Path

import pytest

from rules.catalogue import RULES
from tests.rules.bases import BASES
from tests.rules.case import RULE, Case, judge_base, judge_case, judge_settings
from tests.rules.cases import CASES
from tests.rules.judging import found, messages


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
