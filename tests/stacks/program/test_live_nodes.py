"""What would exchange nodes of a Capacity Block asks EKS whether the window has brought them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws as aws
import pytest

from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from stacks.updates.deployed_nodes import unseen_nodes
from stacks.updates.planned_update import planned_update
from tests.stacks.updates.changes import changed, state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

if TYPE_CHECKING:
    from collections.abc import Callable

Settings = dict[str, Any]


def _phase(settings: Settings, phase: str) -> Settings:
    settings["nodePools"][0]["purchase"]["phase"] = phase
    return settings


def _newer(settings: Settings) -> None:
    settings["cluster"]["version"] = "1.36"


def _another_block(settings: Settings) -> None:
    settings["nodePools"][0]["purchase"]["id"] = "cr-fedcba98"


def _up(before: Settings, after: Settings) -> None:
    """Registers as `up` does, with what the state says of node groups."""
    stack, running = resolved(after), state(before)
    unseen = unseen_nodes(stack.infrastructure, running.node_groups)
    update = replace(planned_update(stack, running), unseen=unseen)
    record(lambda: deploy(stack, None, update), project="dynamo-stack", stack="own")


def _answers(monkeypatch: pytest.MonkeyPatch, answer: int | Exception) -> list[tuple[str, str]]:
    asked: list[tuple[str, str]] = []

    def get_node_group(cluster: str, group: str, **_: Any) -> Any:
        asked.append((cluster, group))
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(scaling_configs=[SimpleNamespace(desired_size=answer)])

    monkeypatch.setattr(aws.eks, "get_node_group", get_node_group)
    return asked


@pytest.mark.parametrize(
    ("change", "says"), [(_newer, "cluster.version = '1.36'"), (_another_block, "nodePools[0].purchase.id")]
)
@pytest.mark.parametrize("phase", ["waiting", "empty"])
def test_what_would_exchange_nodes_that_came_with_the_window_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Settings], None], says: str, phase: str
) -> None:
    asked = _answers(monkeypatch, 1)
    waits = _phase(eks_b200_settings(), "waiting")
    with pytest.raises(pulumi.RunError) as error:
        _up(waits, _phase(changed(waits, change), phase))
    assert asked == [("gpt-oss", "gpt-oss-b200")]
    text = str(error.value)
    assert f"Pulumi.own.yaml: {says}" in text
    assert "would exchange 1 node of a Capacity Block that may run in pool b200" in text
    assert "try: nodePools[0].purchase.phase: empty, alone, and `pulumi up`; then this change" in text


@pytest.mark.parametrize("answer", [0, Exception("reading EKS Node Group: couldn't find resource")])
def test_before_the_window_the_same_change_is_made(
    monkeypatch: pytest.MonkeyPatch, answer: int | Exception
) -> None:
    asked = _answers(monkeypatch, answer)
    waits = _phase(eks_b200_settings(), "waiting")
    _up(waits, changed(waits, _newer))
    assert len(asked) == 1


def test_a_change_is_not_made_where_eks_does_not_say_whether_nodes_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _answers(
        monkeypatch, Exception("AccessDeniedException: not authorized to perform: eks:DescribeNodegroup")
    )
    waits = _phase(eks_b200_settings(), "waiting")
    with pytest.raises(pulumi.RunError) as error:
        _up(waits, changed(waits, _newer))
    assert "EKS does not say whether nodes of the Capacity Block run in gpt-oss-b200" in str(error.value)
    assert "try: let these credentials eks:DescribeNodegroup it" in str(error.value)


def test_what_exchanges_no_node_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _answers(monkeypatch, 1)
    waits = _phase(eks_b200_settings(), "waiting")
    _up(waits, waits)
    _up(waits, _phase(changed(waits, lambda _: None), "active"))
    assert asked == []
