"""When a run sets how many nodes a group has: seldom, because others change the number, too."""

from typing import Any

import pytest

from stacks.updates.deployed import Deployed, deployed
from stacks.updates.deployed_nodes import DeployedNodes
from stacks.updates.planned_update import planned_update
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings

PREFIX = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:NodeGroup$"
GROUP = f"{PREFIX}aws:eks/nodeGroup:NodeGroup::b200-nodes"
TEMPLATE = f"{PREFIX}aws:ec2/launchTemplate:LaunchTemplate::b200-nodes-template"
SCHEDULE = f"{PREFIX}aws:autoscaling/schedule:Schedule::b200-nodes-window-opens"
BLOCK, OTHER = "cr-0123456789abcdef0", "cr-fedcba98"


def _settings(phase: str, nodes: int = 1, block: str = BLOCK) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["nodePools"][0]["nodes"] = nodes
    settings["nodePools"][0]["purchase"] |= {"phase": phase, "id": block}
    return settings


def _state(*, waited: bool, nodes: int = 1, emptied: bool = False) -> dict[str, dict[str, Any]]:
    tags = {"emptied-by-purchase-phase": "true"} if emptied else None
    target = {"capacityReservationTarget": {"capacityReservationId": BLOCK}}
    return {
        # What Read has brought: a number of the engine's, and what somebody has set meanwhile.
        GROUP: {
            "scalingConfig": {"minSize": 0.0, "maxSize": float(nodes), "desiredSize": 0.0},
            "version": "1.35",
            "tags": tags,
        },
        TEMPLATE: {"capacityReservationSpecification": target},
        **({SCHEDULE: {}} if waited else {}),
    }


@pytest.mark.parametrize("waited", [True, False])
def test_the_state_tells_what_a_group_was_asked_to_be(waited: bool) -> None:
    state = _state(waited=waited, nodes=3)
    assert deployed(state).node_groups == {
        "b200-nodes": DeployedNodes(3, BLOCK, waited, version="1.35", template=state[TEMPLATE])
    }


def test_a_group_that_is_bought_by_the_hour_has_no_reservation() -> None:
    state = _state(waited=False) | {TEMPLATE: {"capacityReservationSpecification": None}}
    assert deployed(state).node_groups["b200-nodes"].reservation is None


@pytest.mark.parametrize(
    ("waited", "now", "sets"),
    [
        # The window has opened: also where the scheduled action did not fire.
        (True, _settings("active"), True),
        # A person who types it too late must not lose the nodes that came with the window.
        (True, _settings("waiting"), False),
        (False, _settings("waiting"), False),
        # EKS empties it before the block ends, a person on call changes it: neither is undone.
        (False, _settings("active"), False),
        (False, _settings("active", nodes=2), True),
        (False, _settings("active", block=OTHER), True),
        (False, _settings("waiting", block=OTHER), True),
    ],
)
def test_nodes_are_counted_anew_where_the_settings_have_changed(
    waited: bool, now: dict[str, Any], sets: bool
) -> None:
    update = planned_update(resolved(now), deployed(_state(waited=waited)))
    assert update.resized == (frozenset({"b200-nodes"}) if sets else frozenset())


def test_a_pool_is_emptied_by_its_phase_and_filled_again_after_it() -> None:
    sets = frozenset({"b200-nodes"})
    running, emptied = _state(waited=False), _state(waited=False, emptied=True)
    assert planned_update(resolved(_settings("empty")), deployed(running)).resized == sets
    assert planned_update(resolved(_settings("active")), deployed(emptied)).resized == sets
    assert planned_update(resolved(_settings("waiting")), deployed(emptied)).resized == frozenset()


def test_system_nodes_are_as_many_as_the_settings_come_to_say() -> None:
    settings = eks_b200_settings()
    before = Deployed(node_groups={"system-nodes": DeployedNodes(3, None, waited=False)})
    assert planned_update(resolved(settings), before).resized == frozenset()
    settings["cluster"]["systemNodes"] = {"nodes": 5}
    assert planned_update(resolved(settings), before).resized == frozenset({"system-nodes"})


def test_nothing_is_set_that_is_made_in_this_run_or_that_is_somebody_else_s() -> None:
    assert planned_update(resolved(_settings("active")), Deployed()).resized == frozenset()
    assert (
        planned_update(resolved(disagg_b200_settings()), deployed(_state(waited=True))).resized == frozenset()
    )


def test_a_group_is_in_the_zone_of_its_subnet_whose_id_the_arn_has() -> None:
    prefix = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:Network$aws:ec2/subnet:Subnet::private"
    arn = "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-1"
    state = _state(waited=False)
    state[GROUP]["subnetIds"] = ["subnet-1"]
    state[prefix] = {"arn": arn, "availabilityZone": "us-east-1a"}
    assert deployed(state).node_groups["b200-nodes"].zone == "us-east-1a"
