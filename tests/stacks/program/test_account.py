"""What would exchange nodes of a Capacity Block asks EKS whether the window has brought them."""

from types import SimpleNamespace
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from stacks.updates.beside_what_runs import beside_what_runs
from stacks.updates.planned_update import planned_update
from tests.stacks.changed_settings import (
    NEWER_CLUSTER,
    OTHER_BLOCK,
    Change,
    Settings,
    changed,
    phase,
)
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings

WAITS = changed(eks_b200_settings(), phase("waiting"))


def _up(before: Settings, after: Settings) -> None:
    """Registers as `up` does, with what the state says of node groups."""
    running = state(before)
    stack, wanted = beside_what_runs(resolved(after), running)
    update = planned_update(stack, wanted, running)
    record(lambda: deploy(stack, None, update, running=running), project="dynamo-stack", stack="own")


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
    ("change", "says"),
    [
        (NEWER_CLUSTER, "cluster.version = '1.36'"),
        (NEWER_CLUSTER | phase("empty"), "cluster.version = '1.36'"),
        (OTHER_BLOCK, "nodePools[0].purchase.id = 'cr-fedcba98'"),
    ],
)
def test_what_would_exchange_nodes_that_came_with_the_window_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: Change, says: str
) -> None:
    asked = _answers(monkeypatch, 1)
    with pytest.raises(pulumi.RunError) as error:
        _up(WAITS, changed(WAITS, change))
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
    _up(WAITS, changed(WAITS, NEWER_CLUSTER))
    assert len(asked) == 1


def test_a_change_is_not_made_where_eks_does_not_say_whether_nodes_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    denied = Exception("AccessDeniedException: not authorized to perform: eks:DescribeNodegroup")
    _answers(monkeypatch, denied)
    with pytest.raises(pulumi.RunError) as error:
        _up(WAITS, changed(WAITS, NEWER_CLUSTER))
    assert "EKS does not say whether nodes of the Capacity Block run in gpt-oss-b200" in str(error.value)
    assert "try: let these credentials eks:DescribeNodegroup it" in str(error.value)


def test_what_exchanges_no_node_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _answers(monkeypatch, 1)
    _up(WAITS, changed(WAITS, phase("active")))
    assert asked == []
