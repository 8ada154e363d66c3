"""Nodes of a Capacity Block are not exchanged while they run: the change is refused with the way."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.deployed import Deployed, state_of
from stacks.updates.guards.refused_changes import running_block_problems
from tests.components.recorded import recorded
from tests.stacks.updates.changes import changed, state, update
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

Settings = dict[str, Any]
OTHER = "cr-fedcba98"


def _pool(settings: Settings) -> Settings:
    return settings["nodePools"][0]


def _another_block(settings: Settings) -> None:
    _pool(settings)["purchase"]["id"] = OTHER


def _newer(settings: Settings) -> None:
    settings["cluster"]["version"] = "1.36"


def _tagged_nodes(settings: Settings) -> None:
    settings["cluster"]["tagNodes"] = True


def _other_disk(settings: Settings) -> None:
    _pool(settings)["rootVolumeType"] = "gp2"


def _other_type(settings: Settings) -> None:
    _pool(settings)["instanceType"] = "p6-b300.48xlarge"


def _phase(phase: str) -> Callable[[Settings], None]:
    def change(settings: Settings) -> None:
        _pool(settings)["purchase"]["phase"] = phase

    return change


def _said(before: Deployed, after: Settings) -> list[str]:
    plan = resolved(after).infrastructure
    assert isinstance(plan, EksPlan)
    problems = running_block_problems(plan, before.node_groups)
    return [problem.text("Pulumi.own.yaml") for problem in problems]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_another_block, "Pulumi.own.yaml: nodePools[0].purchase.id = 'cr-fedcba98'"),
        (_newer, "Pulumi.own.yaml: cluster.version = '1.36'"),
        (_tagged_nodes, "Pulumi.own.yaml: cluster.tagNodes = true"),
        (_other_disk, "Pulumi.own.yaml: nodePools[0].rootVolumeType = 'gp2'"),
    ],
)
@pytest.mark.parametrize("phase", ["active", "waiting", "empty"])
def test_a_change_of_nodes_that_run_in_a_block_is_refused_with_the_way(
    change: Callable[[Settings], None], says: str, phase: str
) -> None:
    before = eks_b200_settings()
    after = changed(changed(before, change), _phase(phase))
    [text] = _said(state(before), after)
    assert text.startswith(says)
    assert "would exchange 1 node of a Capacity Block that may run in pool b200" in text
    assert "nothing was created or changed" in text
    assert "try: nodePools[0].purchase.phase: empty, alone, and `pulumi up`; then this change" in text
    assert "Where the block is over and its nodes are gone: `pulumi refresh`" in text


def test_the_version_that_runs_is_named() -> None:
    before = eks_b200_settings()
    [text] = _said(state(before), changed(before, _newer))
    assert "(Kubernetes 1.35 -> 1.36)" in text
    assert "allowed: 1.35" in text


def test_another_image_is_refused_and_the_one_that_runs_is_no_change() -> None:
    settings = eks_b200_settings()
    _pool(settings)["amiRelease"] = "1.35.2-20261101"
    before = state(settings)
    # EKS chose it, and nothing asks for another one.
    assert _said(before, settings) == _said(before, eks_b200_settings()) == []
    _pool(settings)["amiRelease"] = "1.35.3-20261115"
    [text] = _said(before, settings)
    assert text.startswith("Pulumi.own.yaml: nodePools[0].amiRelease = '1.35.3-20261115'\n")
    assert "(image 1.35.2-20261101 -> 1.35.3-20261115)" in text
    assert "allowed: 1.35.2-20261101" in text


def test_other_tags_of_tagged_nodes_are_named_as_what_changes() -> None:
    settings = eks_b200_settings()
    settings["cluster"] |= {"tagNodes": True, "tags": {"team": "search"}}
    before = state(settings)
    settings["cluster"]["tags"] = {"team": "ads"}
    [text] = _said(before, settings)
    assert text.startswith("Pulumi.own.yaml: cluster.tags = {'team': 'ads'}\n")


def test_what_a_newer_release_of_this_project_makes_nodes_of_is_a_change_too() -> None:
    before = state(eks_b200_settings())
    group = before.node_groups["b200-nodes"]
    older = replace(group, template={**group.template, "userData": "b2xk"})
    [text] = _said(replace(before, node_groups={"b200-nodes": older}), eks_b200_settings())
    assert text.startswith("Pulumi.own.yaml: nodePools[0] = 'b200'\n")
    assert "(what nodes do at their start)" in text


def test_emptied_nodes_may_become_others() -> None:
    emptied = state(changed(eks_b200_settings(), _phase("empty")))
    assert _said(emptied, changed(eks_b200_settings(), _another_block)) == []
    assert _said(emptied, changed(eks_b200_settings(), _newer)) == []


def test_before_its_window_a_block_is_exchanged_for_another_and_afterwards_it_may_run() -> None:
    waiting = changed(eks_b200_settings(), _phase("waiting"))
    before = state(waiting)
    assert _said(before, changed(waiting, _another_block)) == []
    # The scheduled action may have filled the pool meanwhile.
    [text] = _said(before, changed(eks_b200_settings(), _another_block))
    assert "would exchange 1 node" in text


@pytest.mark.parametrize("change", [_newer, _other_type])
def test_nodes_that_are_bought_by_the_hour_are_exchanged(change: Callable[[Settings], None]) -> None:
    before = eks_b200_settings()
    _pool(before)["purchase"] = {"kind": "onDemand"}
    assert _said(state(before), changed(before, change)) == []


def test_what_stays_is_no_change() -> None:
    before = eks_b200_settings()
    after = copy.deepcopy(before)
    after["serving"]["replicas"] = {"prefill": 2}
    assert _said(state(before), after) == []
    assert running_block_problems(None, state(before).node_groups) == ()


def test_another_zone_is_another_node_group_which_ends_a_block_that_runs() -> None:
    before = eks_b200_settings()
    before["modelCache"] = {"size": "200Gi", "storage": {"kind": "efs"}}
    after = copy.deepcopy(before)
    _pool(after)["zone"] = "us-east-1b"
    [text] = _said(state_of(recorded(before)), after)
    assert text.startswith("Pulumi.own.yaml: nodePools[0].zone = 'us-east-1b'")
    assert "(zone us-east-1a -> us-east-1b); nothing was created or changed" in text
    assert "allowed: us-east-1a" in text


def test_another_name_of_a_pool_would_take_the_block_from_itself() -> None:
    before = eks_b200_settings()
    after = copy.deepcopy(before)
    _pool(after)["name"] = after["serving"]["pool"] = "other"
    after["serving"].pop("pools", None)
    [text] = _said(state(before), after)
    assert text.startswith("Pulumi.own.yaml: nodePools[0].name = 'other'")
    assert "the instances of Capacity Block cr-0123456789abcdef0 run in that of pool b200" in text
    assert "allowed: b200" in text


def test_nodes_by_the_hour_of_another_zone_or_number_are_told_beforehand() -> None:
    before = eks_b200_settings()
    before["modelCache"] = {"size": "200Gi", "storage": {"kind": "efs"}}
    before["nodePools"][0]["purchase"] = {"kind": "onDemand"}
    moved, two = copy.deepcopy(before), copy.deepcopy(before)
    _pool(moved)["zone"] = "us-east-1b"
    _pool(two)["nodes"] = 2
    running = state_of(recorded(before))
    [notice] = [text for text in update(running, moved).texts if "zone" in text]
    assert "1 node end at once, before new ones come: it is another node group" in notice
    [notice] = [text for text in update(running, two).texts if "placement group" in text]
    assert "exchanged one by one, each old one first" in notice
