"""When a run sets how many nodes a group has: seldom, because others change the number, too."""

from typing import Any

import pytest

from stacks.updates.deployed_nodes import DeployedNodes
from stacks.updates.running import Running, running_of
from tests.stacks.changed_settings import OTHER_BLOCK, Change, changed, phase
from tests.stacks.updates.changes import update
from tests.support.dev_settings import disagg_b200_settings
from tests.support.eks_settings import BLOCK, eks_b200_settings

PREFIX = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:"
GROUP = f"{PREFIX}NodeGroup$aws:eks/nodeGroup:NodeGroup::b200-nodes"
TEMPLATE = f"{PREFIX}NodeGroup$aws:ec2/launchTemplate:LaunchTemplate::b200-nodes-template"
SCHEDULE = f"{PREFIX}NodeGroup$aws:autoscaling/schedule:Schedule::b200-nodes-window-opens"
SUBNET = f"{PREFIX}Network$aws:ec2/subnet:Subnet::private"
State = dict[str, dict[str, Any]]

RUNNING: State = {
    # What Read has brought: a number of the engine's, and what somebody has set meanwhile.
    GROUP: {
        "scalingConfig": {"minSize": 0.0, "maxSize": 1.0, "desiredSize": 0.0},
        "version": "1.35",
        "tags": None,
    },
    TEMPLATE: {
        "capacityReservationSpecification": {
            "capacityReservationTarget": {"capacityReservationId": BLOCK["id"]}
        }
    },
}
WAITED: State = RUNNING | {SCHEDULE: {}}
EMPTIED: State = RUNNING | {GROUP: RUNNING[GROUP] | {"tags": {"emptied-by-purchase-phase": "true"}}}


@pytest.mark.parametrize(
    ("before", "now", "sets"),
    [
        # The window has opened: also where the scheduled action did not fire.
        (WAITED, phase("active"), True),
        # A person who types it too late must not lose the nodes that came with the window.
        (WAITED, phase("waiting"), False),
        (RUNNING, phase("waiting"), False),
        # EKS empties it before the block ends, a person on call changes it: neither is undone.
        (RUNNING, phase("active"), False),
        (RUNNING, phase("active") | {"nodePools[0].nodes": 2}, True),
        (RUNNING, phase("active") | OTHER_BLOCK, True),
        (RUNNING, phase("waiting") | OTHER_BLOCK, True),
        (RUNNING, phase("empty"), True),
        (EMPTIED, phase("active"), True),
        (EMPTIED, phase("waiting"), False),
        # Made in this run.
        ({}, phase("active"), False),
    ],
)
def test_nodes_are_counted_anew_where_the_settings_have_changed(
    before: State, now: Change, sets: bool
) -> None:
    found = update(running_of(before, {}), changed(eks_b200_settings(), now)).update
    assert found.resized == (frozenset({"b200-nodes"}) if sets else frozenset())


def test_nodes_of_somebody_else_are_never_counted() -> None:
    assert update(running_of(WAITED, {}), disagg_b200_settings()).update.resized == frozenset()


def test_system_nodes_are_as_many_as_the_settings_come_to_say() -> None:
    nodes = DeployedNodes({"scalingConfig": {"maxSize": 3}}, {}, None, waited=False, running=3)
    before = Running(node_groups={"system-nodes": nodes})
    assert update(before, eks_b200_settings()).update.resized == frozenset()
    more = changed(eks_b200_settings(), {"cluster.systemNodes": {"nodes": 5}})
    assert update(before, more).update.resized == frozenset({"system-nodes"})


def test_a_group_is_in_the_zone_of_its_subnet_whose_id_the_arn_has() -> None:
    arn = "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-1"
    group = RUNNING[GROUP] | {"subnetIds": ["subnet-1"]}
    state = RUNNING | {GROUP: group, SUBNET: {"arn": arn, "availabilityZone": "us-east-1a"}}
    assert running_of(state, {}).node_groups["b200-nodes"].zone == "us-east-1a"
