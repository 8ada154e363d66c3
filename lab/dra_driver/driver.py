"""Brings slices, templates, labels and statuses into line with nodes, domains and claims."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lab.controller.api import ApiError, KubernetesApi, connected
from lab.controller.following import Kind, follow, look_whenever
from lab.controller.objects import set_finalizer
from lab.dra_driver.domains import (
    DOMAIN_API,
    DOMAIN_KIND,
    MARK,
    is_template_of,
    node_label_changes,
    nodes_by_domain,
    status_for,
    template_for,
)
from lab.dra_driver.slices import DRIVER, RESOURCE_API, slice_changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.controller.api import Manifest
    from lab.directory import LabDirectory

_FOLLOWED = (
    ("v1", "Node"),
    (RESOURCE_API, "ResourceClaim"),
    (RESOURCE_API, "ResourceClaimTemplate"),
    (DOMAIN_API, DOMAIN_KIND),
)
# Several changes come at once when pods start; each look reads everything.
_SETTLE_SECONDS = 0.05

_log = logging.getLogger(__name__)


async def work(lab: LabDirectory, ready: Callable[[], None]) -> None:
    """Serves compute domains until cancelled."""
    async with connected(lab.kubeconfig, DRIVER) as api:
        driver = Driver(api)
        kinds = tuple(Kind(*each, driver.changed) for each in _FOLLOWED)
        await follow(api, kinds, driver.work(), ready=ready)


class Driver:
    """Looks at all nodes, domains and claims whenever one of them changes."""

    def __init__(self, api: KubernetesApi) -> None:
        self._api = api
        self._look_again = asyncio.Event()

    async def work(self) -> None:
        """Serves nodes and domains until cancelled."""
        await look_whenever(self._look_again, self._look, "the compute domains")

    async def changed(self, _change: str, _item: Manifest) -> None:
        """Looks again."""
        self._look_again.set()

    async def _look(self) -> None:
        await asyncio.sleep(_SETTLE_SECONDS)
        self._look_again.clear()
        nodes = await self._api.list("v1", "Node")
        missing, stale = slice_changes(nodes, await self._api.list(RESOURCE_API, "ResourceSlice"))
        for each in missing:
            await self._api.apply(each)
        for each in stale:
            await self._api.delete(each)
        members = nodes_by_domain(await self._api.list(RESOURCE_API, "ResourceClaim"))
        domains = await self._api.list(DOMAIN_API, DOMAIN_KIND)
        living = {each["metadata"]["uid"] for each in domains if not _is_going(each)}
        labels = {uid: names for uid, names in members.items() if uid in living}
        for name, uid in node_label_changes(nodes, labels).items():
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
            await self._api.merge_patch(node, {"metadata": {"labels": {MARK: uid}}})
        by_name = {node["metadata"]["name"]: node for node in nodes}
        for domain in domains:
            names = members.get(domain["metadata"]["uid"], [])
            try:
                await self._serve(domain, [by_name[name] for name in names if name in by_name])
            except ApiError as error:
                # A changed or deleted domain is told of again; the others must not wait for it.
                _log.info("%s: %s", domain["metadata"]["name"], error)

    async def _serve(self, domain: Manifest, nodes: list[Manifest]) -> None:
        wanted = template_for(domain)
        metadata = wanted["metadata"]
        found = await self._api.get(
            RESOURCE_API, "ResourceClaimTemplate", metadata["name"], metadata["namespace"]
        )
        if _is_going(domain):
            if found is not None and is_template_of(found, domain):
                await self._remove(found)
            await set_finalizer(self._api, domain, MARK, held=False)
            return
        await set_finalizer(self._api, domain, MARK, held=True)
        if found is None:
            await self._api.create(wanted)
            _log.info("template %s/%s made", metadata["namespace"], metadata["name"])
        status = status_for(domain, nodes)
        if status != domain.get("status"):
            current = await self._api.get(
                DOMAIN_API, DOMAIN_KIND, domain["metadata"]["name"], domain["metadata"]["namespace"]
            )
            if current is not None:
                await self._api.replace_status(current | {"status": status})

    async def _remove(self, template: Manifest) -> None:
        await self._api.delete(template)
        left = [each for each in template["metadata"].get("finalizers", []) if each != MARK]
        await self._api.merge_patch(template, {"metadata": {"finalizers": left}})


def _is_going(domain: Manifest) -> bool:
    return "deletionTimestamp" in domain["metadata"]
