"""What the comparison says of one change each of the shipped stacks."""

from pathlib import Path

import pytest

from tests.comparison.changed_stacks import Case, all_cases, seen


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_the_comparison_predicts_what_the_case_says(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen(case.compared(tmp_path, monkeypatch)) == case.expect
