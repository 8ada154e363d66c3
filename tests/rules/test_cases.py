"""Every case of every rule, and that no rule is without one."""

import importlib
from pathlib import Path

import pytest

from rules.catalogue import RULES
from rules.model import Rule
from tests.rules.bases import BASES
from tests.rules.case import Case, SettingsCase, judge_base, judge_case, judge_settings
from tests.rules.judging import found, messages

FOLDER = Path(__file__).parent / "cases"
MODULES = [
    importlib.import_module(f"tests.rules.cases.{file.stem}")
    for file in sorted(FOLDER.glob("*.py"))
    if file.stem != "__init__"
]
CASES: list[Case] = [case for module in MODULES for case in getattr(module, "CASES", ())]
SETTINGS_CASES: list[SettingsCase] = [
    case for module in MODULES for case in getattr(module, "SETTINGS_CASES", ())
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.name}")
def test_a_changed_manifest_gives_exactly_its_findings(case: Case, tmp_path: Path) -> None:
    base = BASES[case.base]
    report = judge_case(case, tmp_path, base)
    assert found(report) == (base.found - case.gone) | case.found, messages(report)
    for text in case.says:
        assert text in messages(report)


@pytest.mark.parametrize("case", SETTINGS_CASES, ids=lambda case: f"{case.rule}: {case.name}")
def test_changed_settings_give_exactly_their_findings(case: SettingsCase) -> None:
    report = judge_settings(case.settings)
    assert found(report) == case.found, messages(report)
    for text in case.says:
        assert text in messages(report)


@pytest.mark.parametrize("name", BASES)
def test_a_base_has_the_findings_that_it_lists_and_no_others(name: str, tmp_path: Path) -> None:
    report = judge_base(name, BASES[name], tmp_path, (), BASES[name].pools)
    assert found(report) == BASES[name].found, messages(report)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_case_in_which_it_fails_and_one_in_which_it_is_silent(rule: Rule) -> None:
    about = [case for case in (*CASES, *SETTINGS_CASES) if case.rule == rule.id]
    failing = [case for case in about if any(item[:2] == (rule.id, "failed") for item in case.found)]
    silent = [name for name, base in BASES.items() if all(item[0] != rule.id for item in base.found)]
    assert failing, f"no case makes {rule.id} fail"
    assert silent, f"{rule.id} finds something in every base"
