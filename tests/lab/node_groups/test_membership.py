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


@pytest.mark.parametrize("lost", [set[str](), {"aws:///old"}])
def test_a_node_that_took_the_place_of_another_stays_though_the_watch_tells_of_it_late(
    lost: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = AsyncMock()
    api.list.return_value = []
    nodes = Membership(api, tmp_path / "store.json")
    monkeypatch.setattr(membership, "nodes_of", lambda _: [_node("new")])
    monkeypatch.setattr(membership, "lost_machines", lambda _: lost)

    async def scene() -> None:
        await nodes.node("ADDED", _node("old"))
        await nodes.look()
        await nodes.look()

    asyncio.run(scene())
    api.apply.assert_awaited_with(_node("new"))
    api.delete.assert_awaited_once()


def test_a_node_that_somebody_deletes_while_it_is_drained_may_join_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = AsyncMock()
    api.list.return_value = [{"metadata": {"name": "pod"}, "spec": {"nodeName": "node"}}]
    nodes = Membership(api, tmp_path / "store.json")
    wanted: list[dict[str, Any]] = []
    monkeypatch.setattr(membership, "nodes_of", lambda _: wanted)

    async def scene() -> None:
        await nodes.node("ADDED", _node("old"))
        await nodes.look()
        await nodes.node("DELETED", _node("old"))
        wanted.append(_node("new"))
        await nodes.look()

    asyncio.run(scene())
    # Its pod had not ended when it went.
    api.delete.assert_awaited_once_with(api.list.return_value[0])
    api.apply.assert_awaited_once_with(_node("new"))
