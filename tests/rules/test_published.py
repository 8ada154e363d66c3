"""What the rules say of the published recipes: each known defect is found, and none is invented."""

from dataclasses import replace
from pathlib import Path

import pytest

from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from rules.model import Report
from tests.rules.case import RULE, Case, judge_beside
from tests.rules.judging import found, messages
from tests.rules.published_defects import DEFECTS, NO_DEFECTS

FOLDER = Path(__file__).parent / "published"


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_of_a_published_recipe_is_found(defect: Case) -> None:
    report = _judged(defect)
    assert found(report) == defect.found, messages(report)
    assert [text for text in defect.says if text not in messages(report)] == [], messages(report)


@pytest.mark.parametrize("defect", NO_DEFECTS, ids=lambda defect: defect.name)
def test_what_is_no_defect_is_not_found(defect: Case) -> None:
    report = _judged(defect)
    assert found(report) == set(), messages(report)


def _judged(defect: Case) -> Report:
    """What the rule of the defect finds; no other rule may break at the files."""
    files = [FOLDER / f"{name}.yaml" for name in defect.base.split()]
    report = judge_beside(manifest_graph(read_inputs(files)), defect.pools or ())
    (rule,) = RULE[defect.rule]
    return replace(report, findings=tuple(each for each in report.findings if each.rule == rule))
