"""Stack disagg-b200 from nothing to destroy, as its file is: five GPUs of one machine with eight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.comparison.applied.judgement import assert_that_the_engine_says_so_too, cases_of
from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected
from tests.support.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.comparison.applied.deployed import Deployed
    from tests.comparison.changed_stacks import Case
    from tests.rehearsals.shipped import Shipped

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "disagg-b200",
    "gpt-oss-disagg",
    {"prefill": 1, "decode": 4},
    pool="b200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "8"},
)


class TestDisaggB200(EveryStack):
    """What holds of every stack."""


def test_both_workers_wait_while_their_only_machine_is_gone_and_run_on_the_next(shipped: Shipped) -> None:
    shipped.lose("disagg-b200-b200-0")
    until(lambda: shipped.nodes("disagg-b200-b200") == set(), "the node to go")
    until(lambda: shipped.places() == {"prefill": None, "decode": None}, "workers that wait")
    until(lambda: not shipped.is_ready(), "a graph that says so")
    shipped.replace_lost()
    node = "disagg-b200-b200-0"
    until(lambda: shipped.places() == {"prefill": node, "decode": node}, "workers on the next machine")
    until(shipped.is_ready, "a graph that is ready again")


def test_the_engines_preview_of_what_is_deployed_says_that_nothing_changes(shipped: Shipped) -> None:
    said = shipped.stack.dynamo_stack("preview", "disagg-b200").stdout
    assert said.startswith("disagg-b200: nothing changes")


@pytest.mark.parametrize("case", cases_of("disagg-b200"), ids=lambda case: case.name)
def test_the_engine_previews_what_is_said_of_a_change(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_the_engine_says_so_too(case, deployed, tmp_path)


class TestRemovalOfDisaggB200(Removal):
    """The last of it."""
