"""Stack agg-gb200 from nothing to destroy, as its file is: all four GPUs of one tray."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.reservations import reservations_of
from tests.rehearsals.every_stack import EveryStack
from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected
from tests.support.waiting import until

if TYPE_CHECKING:
    from tests.rehearsals.shipped import Shipped

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "agg-gb200",
    "gpt-oss-agg",
    {"worker": 4},
    pool="gb200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "4", "vpc.amazonaws.com/efa": "4"},
)
GROUP, SPARE = "agg-gb200-gb200", "agg-gb200-spare"


class TestAggGb200(EveryStack):
    """What holds of every stack."""


def test_more_nodes_and_another_pool_in_the_settings_are_more_nodes(shipped: Shipped) -> None:
    def grow(settings: dict[str, Any]) -> None:
        settings["nodePools"][0]["nodes"] = 2
        spare = {"name": "spare", "instanceType": "p6-b200.48xlarge", "nodes": 1, "zone": "us-east-1a"}
        settings["nodePools"].append(spare | {"purchase": {"kind": "onDemand"}})
        reservations = json.dumps(reservations_of(settings["nodePools"]))
        (shipped.run.lab.cloud / "capacity-reservations.json").write_text(reservations, encoding="utf-8")

    shipped.change_settings(grow)
    shipped.stack.up("--skip-preview")
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-0", f"{GROUP}-1"}, "two trays")
    until(lambda: shipped.nodes(SPARE) == {f"{SPARE}-0"}, "a node of the other pool")


def test_the_worker_of_a_lost_tray_moves_to_one_that_is_free(shipped: Shipped) -> None:
    assert shipped.places() == {"worker": f"{GROUP}-0"}
    shipped.lose(f"{GROUP}-0")
    until(lambda: shipped.places() == {"worker": f"{GROUP}-1"}, "the worker on the other tray")
    until(shipped.is_ready, "a graph that is ready again")
    shipped.replace_lost()
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-0", f"{GROUP}-1"}, "two trays again")
    assert shipped.places() == {"worker": f"{GROUP}-1"}


def test_fewer_nodes_and_a_pool_less_are_fewer_nodes_and_the_worker_stays(shipped: Shipped) -> None:
    def shrink(settings: dict[str, Any]) -> None:
        settings["nodePools"][0]["nodes"] = 1
        del settings["nodePools"][1]

    shipped.change_settings(shrink)
    shipped.stack.up("--skip-preview")
    until(lambda: shipped.nodes(SPARE) == set(), "no node of a pool that is gone")
    until(lambda: shipped.nodes(GROUP) == {f"{GROUP}-1"}, "one tray")
    assert shipped.places() == {"worker": f"{GROUP}-1"}
    assert shipped.is_ready()


class TestRemovalOfAggGb200(Removal):
    """The last of it."""
