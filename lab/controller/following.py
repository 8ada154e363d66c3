"""How a stand-in follows the kinds that it works for, and works until it is cancelled."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.controller.api import FAILURES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from lab.controller.api import KubernetesApi, Manifest

    Changed = Callable[[str, Manifest], Awaitable[None]]

DELETED = "DELETED"
_AGAIN_SECONDS = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kind:
    """Objects to be followed; `changed` gets ADDED, MODIFIED or DELETED, and the object."""

    api_version: str
    name: str
    changed: Changed
    labels: str = ""


async def follow(
    api: KubernetesApi,
    kinds: tuple[Kind, ...],
    *companions: Coroutine[None, None, None],
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Follows the kinds and runs the companions until cancelled, or until one of them fails.

    Calls `ready` when every kind has been listed once: from then on no change is missed.
    """
    listed = [asyncio.Event() for _ in kinds]
    async with asyncio.TaskGroup() as group:
        for kind, event in zip(kinds, listed, strict=True):
            group.create_task(_follow(api, kind, event))
        for companion in companions:
            group.create_task(companion)
        for event in listed:
            await event.wait()
        ready()


async def look_whenever(changed: asyncio.Event, look: Callable[[], Awaitable[None]], subject: str) -> None:
    """Looks at once and after each change, until cancelled; where it fails, again after a pause."""
    while True:
        changed.clear()
        try:
            await look()
        except FAILURES as error:
            _log.info("looking at %s: %s", subject, error)
            changed.set()
            await asyncio.sleep(_AGAIN_SECONDS)
        await changed.wait()


async def _follow(api: KubernetesApi, kind: Kind, listed: asyncio.Event) -> None:
    known: dict[str, Manifest] = {}
    while True:
        try:
            items, version = await api.list_at(kind.api_version, kind.name, labels=kind.labels)
            listed.set()
            await _tell_differences(kind, known, items)
            if version:
                async for change, item in api.watch(kind.api_version, kind.name, version, kind.labels):
                    await _tell(kind, known, change, item)
        except FAILURES as error:
            _log.info("following %s: %s", kind.name, error)
        await asyncio.sleep(_AGAIN_SECONDS)


async def _tell_differences(kind: Kind, known: dict[str, Manifest], items: list[Manifest]) -> None:
    """What happened while nobody watched, deletions too."""
    found = {item["metadata"]["uid"]: item for item in items}
    for uid in known.keys() - found.keys():
        await _tell(kind, known, DELETED, known[uid])
    for uid, item in found.items():
        before = known.get(uid)
        if before is None:
            await _tell(kind, known, "ADDED", item)
        elif before["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]:
            await _tell(kind, known, "MODIFIED", item)


async def _tell(kind: Kind, known: dict[str, Manifest], change: str, item: Manifest) -> None:
    """What has been told is known only then: a handler that fails hears of it again."""
    await kind.changed(change, item)
    if change == DELETED:
        known.pop(item["metadata"]["uid"], None)
    else:
        known[item["metadata"]["uid"]] = item
