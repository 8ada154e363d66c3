"""Nodes of a Capacity Block are not exchanged while they run: the change is refused with the way."""

from dataclasses import replace

import pytest

from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.guards.refused_changes import running_block_problems
from stacks.updates.running import Running, running_after
from tests.components.recorded import recorded
from tests.stacks.changed_settings import (
    BY_THE_HOUR,
    NEWER_CLUSTER,
    ON_EFS,
    OTHER_BLOCK,
    Change,
    changed,
    phase,
    replicas,
)
from tests.stacks.updates.changes import state, update
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

OTHER_ZONE = {"nodePools[0].zone": "us-east-1b"}
IMAGE = {"nodePools[0].amiRelease": "1.35.2-20261101"}
MADE_OF = "(what nodes are made of)"
TAGGED = {"cluster.tagNodes": True, "cluster.tags": {"team": "search"}}


def _running(*changes: Change) -> Running:
    return state(changed(eks_b200_settings(), *changes))


def _said(before: Running, *changes: Change) -> list[str]:
    plan = resolved(changed(eks_b200_settings(), *changes)).infrastructure
    assert isinstance(plan, EksPlan)
    problems = running_block_problems(plan, before.node_groups)
    return [problem.text("Pulumi.own.yaml") for problem in problems]


@pytest.mark.parametrize(
    ("before", "change", "setting", "exchange"),
    [
        ({}, OTHER_BLOCK, "nodePools[0].purchase.id = 'cr-fedcba98'", MADE_OF),
        ({}, NEWER_CLUSTER, "cluster.version = '1.36'", "(Kubernetes 1.35 -> 1.36)"),
        ({}, {"cluster.tagNodes": True}, "nodePools[0] = 'b200'", MADE_OF),
        (
            TAGGED,
            TAGGED | {"cluster.tags": {"team": "ads"}},
            "nodePools[0] = 'b200'",
            MADE_OF,
        ),
        ({}, {"nodePools[0].rootVolumeType": "gp2"}, "nodePools[0] = 'b200'", MADE_OF),
        (
            IMAGE,
            {"nodePools[0].amiRelease": "1.35.3-20261115"},
            "nodePools[0].amiRelease = '1.35.3-20261115'",
            "(image 1.35.2-20261101 -> 1.35.3-20261115)",
        ),
    ],
)
def test_a_change_of_nodes_that_run_in_a_block_is_refused_with_the_way(
    before: Change, change: Change, setting: str, exchange: str
) -> None:
    [text] = _said(_running(before), change)
    assert text.startswith(
        f"Pulumi.own.yaml: {setting}\n"
        f"  would exchange 1 node of a Capacity Block that may run in pool b200 {exchange}"
    )
    assert "; nothing was created or changed\n" in text
    assert "try: nodePools[0].purchase.phase: empty, alone, and `pulumi up`; then this change" in text
    assert "Where the block is over and its nodes are gone: `pulumi refresh`" in text


@pytest.mark.parametrize("now", ["waiting", "empty"])
def test_another_phase_together_with_the_change_is_refused_too(now: str) -> None:
    [text] = _said(_running(), NEWER_CLUSTER, phase(now))
    assert "would exchange 1 node of a Capacity Block" in text


def test_another_zone_is_another_node_group_which_ends_a_block_that_runs() -> None:
    [text] = _said(running_after(recorded(changed(eks_b200_settings(), ON_EFS)), {}), ON_EFS, OTHER_ZONE)
    assert text.startswith("Pulumi.own.yaml: nodePools[0].zone = 'us-east-1b'")
    assert "(zone us-east-1a -> us-east-1b); nothing was created or changed" in text


def test_what_a_newer_release_of_this_project_makes_nodes_of_is_a_change_too() -> None:
    before = _running()
    group = before.node_groups["b200-nodes"]
    older = replace(group, template={**group.template, "userData": "b2xk"})
    [text] = _said(replace(before, node_groups={"b200-nodes": older}))
    assert text.startswith("Pulumi.own.yaml: nodePools[0] = 'b200'\n")
    assert MADE_OF in text


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(phase("empty"), OTHER_BLOCK, id="another block for an emptied pool"),
        pytest.param(phase("empty"), NEWER_CLUSTER, id="another version for an emptied pool"),
        pytest.param(phase("waiting"), phase("waiting") | OTHER_BLOCK, id="another block before the window"),
        pytest.param(BY_THE_HOUR, BY_THE_HOUR | NEWER_CLUSTER, id="nodes by the hour"),
        pytest.param(
            BY_THE_HOUR,
            BY_THE_HOUR | {"nodePools[0].instanceType": "p6-b300.48xlarge"},
            id="another type of nodes by the hour",
        ),
        pytest.param(IMAGE, {}, id="an image that EKS chooses again"),
        pytest.param({}, replicas(prefill=2), id="nothing about nodes"),
    ],
)
def test_what_exchanges_no_node_of_a_block_that_runs_is_taken(before: Change, now: Change) -> None:
    assert _said(_running(before), now) == []


def test_a_window_that_has_opened_may_have_filled_the_pool() -> None:
    [text] = _said(_running(phase("waiting")), OTHER_BLOCK)
    assert "would exchange 1 node" in text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (OTHER_ZONE, "1 node end at once, before new ones come: it is another node group"),
        ({"nodePools[0].nodes": 2}, "exchanged one by one, each old one first"),
    ],
)
def test_nodes_by_the_hour_of_another_zone_or_number_are_told_beforehand(change: Change, says: str) -> None:
    before = changed(eks_b200_settings(), ON_EFS, BY_THE_HOUR)
    texts = update(running_after(recorded(before), {}), changed(before, change)).texts
    assert any(says in text for text in texts)
