"""What this project says that it has tried, and on which GPU."""

import pytest

from hardware import ACCELERATORS
from recipes.evidence import Level
from recipes.load import load_recipe

AGGREGATED, DISAGGREGATED = load_recipe("gpt-oss-120b/trtllm-agg"), load_recipe("gpt-oss-120b/trtllm-disagg")


def test_the_aggregated_recipe_is_not_validated_upstream_on_x86() -> None:
    assert AGGREGATED.validated_on == ("GB200",)
    found = AGGREGATED.evidence_on("B200")
    assert found.level is Level.RENDERED
    assert "not validated upstream" in found.reason


def test_the_split_recipe_is_validated_upstream_on_both() -> None:
    assert DISAGGREGATED.validated_on == ("GB200", "B200")
    for accelerator in DISAGGREGATED.validated_on:
        assert DISAGGREGATED.evidence_on(accelerator).level is Level.MOCK_SERVED


@pytest.mark.parametrize("accelerator", sorted(set(ACCELERATORS) - {"B200", "GB200"}))
def test_what_nobody_tried_is_no_more_than_rendered(accelerator: str) -> None:
    found = DISAGGREGATED.evidence_on(accelerator)
    assert found.level is Level.RENDERED
    assert found.reason.startswith("not validated upstream")
