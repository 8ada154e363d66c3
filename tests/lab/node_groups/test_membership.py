"""Nodes whose cluster tells of them late, or where somebody else deletes them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock

import pytest

from lab.node_groups import membership
from lab.node_groups.membership import Membership

if TYPE_CHECKING:
    from pathlib import Path


def _node(instance: str) -> dict[str, Any]:
    return {"metadata": {"name": "node"}, "spec": {"providerID": f"aws:///{instance}"}}


@pytest.fixture
def api() -> AsyncMock:
    """A cluster with one pod, of the node."""
    pod = {"metadata": {"name": "pod"}, "spec": {"nodeName": "node"}}
    return AsyncMock(**{"list.return_value": [pod]})


@pytest.fixture
def nodes(api: AsyncMock, tmp_path: Path) -> Membership:
    return Membership(api, tmp_path / "store.json")


@pytest.mark.parametrize("lost", [set[str](), {"aws:///old"}])
def test_a_node_that_took_the_place_of_another_stays_though_the_watch_tells_of_it_late(
    lost: set[str], api: AsyncMock, nodes: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.list.return_value = []
    monkeypatch.setattr(membership, "nodes_of", lambda _: [_node("new")])
    monkeypatch.setattr(membership, "lost_machines", lambda _: lost)
    asyncio.run(nodes.node("ADDED", _node("old")))
    asyncio.run(nodes.look())
    asyncio.run(nodes.look())
    api.apply.assert_awaited_with(_node("new"))
    api.delete.assert_awaited_once()


def test_a_node_that_somebody_deletes_while_it_is_drained_may_join_again(
    api: AsyncMock, nodes: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "nodes_of", lambda _: [])
    asyncio.run(nodes.node("ADDED", _node("old")))
    asyncio.run(nodes.look())
    # Its pod had not ended when it went.
    api.delete.assert_awaited_once_with(api.list.return_value[0])
    asyncio.run(nodes.node("DELETED", _node("old")))
    monkeypatch.setattr(membership, "nodes_of", lambda _: [_node("new")])
    asyncio.run(nodes.look())
    api.apply.assert_awaited_once_with(_node("new"))
