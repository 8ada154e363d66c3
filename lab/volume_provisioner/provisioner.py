"""Makes and deletes volumes as claims come and go."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import aiohttp
import kopf

from lab.controller.api import ApiError
from lab.volume_provisioner.volumes import (
    ZONE,
    must_be_deleted,
    refusal,
    refusal_event,
    selected_node,
    volume_for,
    waits_for_consumer,
    wants_volume,
)

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest

# A claim may come before its class or its node; nothing tells of that, so everything is looked at again.
_RESYNC_SECONDS = 5.0
_PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Provisioner:
    """Looks at all claims and volumes whenever one of them changes."""

    def __init__(self, api: KubernetesApi) -> None:
        self._api = api
        self._look_again = asyncio.Event()

    def registry(self) -> kopf.OperatorRegistry:
        """The handlers by which kopf tells of changes."""
        registry = kopf.OperatorRegistry()
        for plural in ("persistentvolumeclaims", "persistentvolumes"):
            kopf.on.event("", "v1", plural, registry=registry)(self._changed)
        return registry

    async def work(self) -> None:
        """Serves claims until cancelled."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look_again.wait(), _RESYNC_SECONDS)
            self._look_again.clear()
            try:
                await self._look()
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                _log.info("looking at the claims: %s", error)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _look(self) -> None:
        classes = {
            each["metadata"]["name"]: each
            for each in await self._api.list("storage.k8s.io/v1", "StorageClass")
        }
        for claim in await self._api.list("v1", "PersistentVolumeClaim"):
            storage_class = classes.get(claim["spec"].get("storageClassName", ""))
            if storage_class is not None and wants_volume(claim, storage_class):
                await self._provision(claim, storage_class)
        for volume in await self._api.list("v1", "PersistentVolume"):
            if must_be_deleted(volume):
                _log.info("volume %s goes with its claim", volume["metadata"]["name"])
                await self._api.delete({"apiVersion": "v1", "kind": "PersistentVolume", **volume})

    async def _provision(self, claim: Manifest, storage_class: Manifest) -> None:
        refused = refusal(claim, storage_class)
        if refused is not None:
            await self._api.apply(refusal_event(claim, refused))
            return
        zone = None
        if waits_for_consumer(storage_class):
            node = await self._api.get("v1", "Node", selected_node(claim) or "")
            if node is None:
                return
            zone = node["metadata"].get("labels", {}).get(ZONE)
        volume = volume_for(claim, storage_class, zone)
        _log.info("volume %s for claim %s", volume["metadata"]["name"], claim["metadata"]["name"])
        await self._api.apply(volume)

    async def _changed(self, **_: Any) -> None:
        self._look_again.set()
