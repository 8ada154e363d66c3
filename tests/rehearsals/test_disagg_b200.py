"""Stack disagg-b200 from nothing to destroy, as its file is: five GPUs of one machine with eight."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.reservations import reservations_of
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

pytestmark = pytest.mark.lab

EXPECTED = Expected(
    "disagg-b200",
    "gpt-oss-disagg",
    {"prefill": 1, "decode": 4},
    pool="b200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "8"},
)


GROUP, SPARE = "disagg-b200-b200", "disagg-b200-spare"


@pytest.mark.essential
class TestDisaggB200(EveryStack):
    """What holds of every stack."""


def test_both_workers_wait_while_their_only_machine_is_gone_and_run_on_the_next(shipped: Shipped) -> None:
    shipped.lose(f"{GROUP}-0")
    until(lambda: shipped.nodes(GROUP) == set(), "the node to go")
    until(lambda: shipped.places() == {"prefill": None, "decode": None}, "workers that wait")
    until(lambda: not shipped.is_ready(), "a graph that says so")
    shipped.replace_lost()
    until(lambda: shipped.places() == _both_on(f"{GROUP}-0"), "workers on the next machine")
    until(shipped.is_ready, "a graph that is ready again")


def test_the_engines_preview_of_what_is_deployed_says_that_nothing_changes(shipped: Shipped) -> None:
    said = shipped.stack.dynamo_stack("preview", "disagg-b200").stdout
    assert said.startswith("disagg-b200: nothing changes")


def test_more_nodes_and_another_pool_in_the_settings_are_more_nodes(shipped: Shipped) -> None:
    def grow(settings: dict[str, Any]) -> None:
        settings["nodePools"][0]["nodes"] = 2
        spare = {"name": "spare", "instanceType": "p5.48xlarge", "nodes": 1, "zone": "us-east-1a"}
        settings["nodePools"].append(spare | {"purchase": {"kind": "onDemand"}})
        reservations = json.dumps(reservations_of(settings["nodePools"]))
        (shipped.run.lab.cloud / "capacity-reservations.json").write_text(reservations, encoding="utf-8")

    shipped.change_settings(grow)
    shipped.stack.up("--skip-preview")
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-0", f"{GROUP}-1"}, "two machines")
    until(lambda: shipped.nodes(SPARE) == {f"{SPARE}-0"}, "a node of the other pool")


def test_workers_of_a_lost_machine_move_to_one_that_is_free(shipped: Shipped) -> None:
    assert shipped.places() == _both_on(f"{GROUP}-0")
    shipped.lose(f"{GROUP}-0")
    until(lambda: shipped.places() == _both_on(f"{GROUP}-1"), "the workers on the other machine")
    until(shipped.is_ready, "a graph that is ready again")
    shipped.replace_lost()
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-0", f"{GROUP}-1"}, "two machines again")
    assert shipped.places() == _both_on(f"{GROUP}-1")


def test_fewer_nodes_and_a_pool_less_are_fewer_nodes_and_the_workers_stay(shipped: Shipped) -> None:
    def shrink(settings: dict[str, Any]) -> None:
        settings["nodePools"][0]["nodes"] = 1
        del settings["nodePools"][1]

    shipped.change_settings(shrink)
    shipped.stack.up("--skip-preview")
    until(lambda: shipped.nodes(SPARE) == set(), "no node of a pool that is gone")
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-1"}, "one machine")
    assert shipped.places() == _both_on(f"{GROUP}-1")
    assert shipped.is_ready()


@pytest.mark.parametrize("case", cases_of("disagg-b200"), ids=lambda case: case.name)
def test_the_engine_previews_what_is_said_of_a_change(case: Case, deployed: Deployed, tmp_path: Path) -> None:
    assert_that_the_engine_says_so_too(case, deployed, tmp_path)


@pytest.mark.essential
class TestRemovalOfDisaggB200(Removal):
    """The last of it."""


def _both_on(node: str) -> dict[str, str]:
    return dict.fromkeys(EXPECTED.gpus, node)
