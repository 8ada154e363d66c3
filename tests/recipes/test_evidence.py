"""What this project says that it has tried, and on which GPU."""

import pytest

from hardware import ACCELERATORS
from recipes.evidence import Level
from recipes.load import load_recipe

AGGREGATED, DISAGGREGATED = load_recipe("gpt-oss-120b/trtllm-agg"), load_recipe("gpt-oss-120b/trtllm-disagg")


@pytest.mark.parametrize("accelerator", sorted(set(ACCELERATORS) - {"B200", "GB200"}))
def test_what_nobody_tried_is_no_more_than_rendered(accelerator: str) -> None:
    found = DISAGGREGATED.evidence_on(accelerator)
    assert found.level is Level.RENDERED
    assert found.reason.startswith("not validated upstream")
