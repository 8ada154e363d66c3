"""Stack disagg-gb200-two-trays as its file is, on one NVLink domain; it is removed as disagg-b200 is."""

import re
from pathlib import Path

import pytest

from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.judgement import assert_that_the_engine_says_so_too, previewed_cases
from tests.comparison.changed_stacks import Case
from tests.faults.conftest import NAMESPACE, is_ready
from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.shipped import CLIQUE, Expected, Shipped
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "disagg-gb200-two-trays",
    "gpt-oss-disagg",
    {"prefill": 1, "decode": 4},
    pool="gb200",
    nodes=2,
    allocatable={"nvidia.com/gpu": "4", "vpc.amazonaws.com/efa": "4"},
    claims=2,
)


class TestDisaggGb200(EveryStack):
    """What holds of every stack."""


def test_the_worker_of_a_lost_tray_waits_for_the_next_tray_of_the_clique_and_the_other_serves_on(
    shipped: Shipped,
) -> None:
    before = shipped.places()
    lost, left = before["prefill"], before["decode"]
    assert lost is not None
    assert left is not None
    clique = _clique(shipped, lost)
    shipped.lose(lost)
    until(lambda: shipped.nodes(EXPECTED.node_group) == {left}, "the node to go")
    until(lambda: shipped.places() == {"prefill": None, "decode": left}, "a worker that waits")
    until(lambda: shipped.domain_nodes() == {left}, "a domain of one tray")
    looked = ("doctor", "--context", "dynamo-lab", "--namespace", NAMESPACE)
    line = shipped.stack.dynamo_stack(*looked, check=False).stdout.partition("\n")[0]
    assert re.search(f"node {lost}: does not exist any more|no node has", line), line

    shipped.stack.change_serving(replicas={"frontend": 2}, readyTimeoutSeconds=3)
    said = shipped.stack.failing_up()
    assert "The wait for graph gpt-oss-disagg ended." in said
    assert "trtllmprefillworker" in said
    assert "Pending, 0/4 nodes are available: 1 Insufficient" in said

    shipped.stack.change_settings(lambda settings: settings["serving"].pop("readyTimeoutSeconds"))
    shipped.replace_lost()
    until(lambda: shipped.places() == before, "both workers where they were")
    until(lambda: shipped.domain_nodes() == {lost, left}, "a domain of both trays")
    assert _clique(shipped, lost) == clique
    until(lambda: is_ready(shipped.stack), "a graph that is ready again")


@pytest.mark.parametrize(
    "case",
    previewed_cases("disagg-gb200-two-trays"),
    ids=lambda case: case.name,
)
def test_the_engine_previews_what_is_said_of_a_change(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_the_engine_says_so_too(case, deployed, tmp_path)


def _clique(shipped: Shipped, node: str) -> str:
    return shipped.lab.get("node", node)["metadata"]["labels"][CLIQUE]
