"""Stack disagg-b200 from nothing to destroy, as its file is: the eight GPUs of one machine, in one pod."""

from pathlib import Path

import pytest

from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.judgement import assert_that_the_engine_says_so_too, previewed_cases
from tests.comparison.changed_stacks import Case
from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected

pytestmark = [pytest.mark.lab, pytest.mark.essential]

EXPECTED = Expected(
    "disagg-b200",
    "gpt-oss-disagg-one-pod",
    {"worker": 8},
    pool="b200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "8"},
)


class TestDisaggB200(EveryStack):
    """What holds of every stack."""


@pytest.mark.parametrize("case", previewed_cases("disagg-b200"), ids=lambda case: case.name)
def test_the_engine_previews_what_is_said_of_a_change(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_the_engine_says_so_too(case, deployed, tmp_path)


class TestRemovalOfDisaggB200(Removal):
    """The last of it."""
