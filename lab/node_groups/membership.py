"""Lets nodes join and leave as the account's store says."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import TYPE_CHECKING

from lab.controller.api import FAILURES, KubernetesApi, connected
from lab.controller.following import DELETED, Kind, follow
from lab.node_groups.nodes import PROVIDER_PREFIX, lost_machines, nodes_of
from lab.node_groups.sizes import UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lab.controller.api import Manifest
    from lab.directory import LabDirectory

_LOOK_SECONDS = 0.5
# EKS drains for up to 15 minutes; a pod of this cluster ends as soon as it is asked to.
_DRAIN_SECONDS = 10.0

_log = logging.getLogger(__name__)


async def work(lab: LabDirectory, ready: Callable[[], None]) -> None:
    """Lets nodes join and leave until cancelled."""
    async with connected(lab.kubeconfig, "eks-node-groups") as api:
        membership = Membership(api, lab.cloud / "store.json")
        await follow(api, (Kind("v1", "Node", membership.node),), membership.work(), ready=ready)


class Membership:
    """The nodes of one cluster that are instances of the account."""

    def __init__(self, api: KubernetesApi, store: Path) -> None:
        self._api = api
        self._store = store
        self._applied: dict[str, Manifest] = {}
        self._draining: dict[str, float] = {}
        self._said = ""
        self._found: dict[str, Manifest] = {}

    async def node(self, change: str, node: Manifest) -> None:
        """Keeps in mind what nodes the cluster has that are instances."""
        name = node["metadata"]["name"]
        self._found.pop(name, None)
        if change != DELETED and node["spec"].get("providerID", "").startswith(PROVIDER_PREFIX):
            self._found[name] = node

    async def work(self) -> None:
        """Looks twice a second until cancelled."""
        while True:
            try:
                await self.look()
            except (*FAILURES, UnknownTypeError) as error:
                self._say(str(error))
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Brings the nodes one step nearer to what the store says."""
        store = self._read()
        wanted = {node["metadata"]["name"]: node for node in nodes_of(store)}
        lost = lost_machines(store)
        # The watch may not have told yet of a node that was applied in the place of another one.
        found = {
            name: node
            for name, node in self._found.items()
            if self._applied.get(name, node)["spec"]["providerID"] == node["spec"]["providerID"]
        }
        # One that somebody else has deleted leaves no more.
        self._draining = {name: since for name, since in self._draining.items() if name in found}
        for name, node in found.items():
            if node["spec"]["providerID"] in lost:
                await self._forget(name)
            elif name not in wanted or wanted[name]["spec"]["providerID"] != node["spec"]["providerID"]:
                await self._leave(name)
        for name, node in wanted.items():
            if name not in self._draining and (name not in found or self._applied.get(name) != node):
                _log.info("node %s of %s", name, node["spec"]["providerID"])
                await self._api.apply(node)
                self._applied[name] = node

    async def _leave(self, name: str) -> None:
        """Drains the node as EKS does, then lets it go; DaemonSets' pods go with it."""
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        if name not in self._draining:
            _log.info("node %s leaves", name)
            self._draining[name] = time.monotonic()
            await self._api.merge_patch(node, {"spec": {"unschedulable": True}})
        pods = await self._pods_on(name)
        staying = [pod for pod in pods if not _is_of_a_daemon_set(pod)]
        for pod in staying:
            if "deletionTimestamp" not in pod["metadata"]:
                await self._api.delete(pod)
        if staying and time.monotonic() - self._draining[name] < _DRAIN_SECONDS:
            return
        for pod in pods:
            await self._api.delete(pod)
        await self._api.delete(node)
        self._applied.pop(name, None)
        del self._draining[name]

    async def _forget(self, name: str) -> None:
        """Deletes the node of a machine that is gone, and its pods, which nobody is left to end.

        What the cloud controller and the pod garbage collector do within a minute or two is done at once.
        """
        _log.info("node %s is lost", name)
        await self._api.delete({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        for pod in await self._pods_on(name):
            await self._api.delete(pod, grace_seconds=0)
        self._applied.pop(name, None)
        self._draining.pop(name, None)

    async def _pods_on(self, name: str) -> list[Manifest]:
        return [pod for pod in await self._api.list("v1", "Pod") if pod["spec"].get("nodeName") == name]

    def _read(self) -> dict[str, dict[str, Manifest]]:
        """The store; without one there is no account, and so no instance."""
        if not self._store.exists():
            return {}
        return json.loads(self._store.read_text(encoding="utf-8"))

    def _say(self, line: str) -> None:
        if line != self._said:
            _log.warning("looking at the node groups: %s", line)
            self._said = line


def _is_of_a_daemon_set(pod: Manifest) -> bool:
    owners = pod["metadata"].get("ownerReferences", [])
    return any(owner["kind"] == "DaemonSet" for owner in owners)
