"""One reconciliation of a component deployment: its Service, its Deployment, its status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.controller.api import ApiError
from lab.controller.objects import now, set_finalizer
from lab.dynamo_operator.components import FINALIZER
from lab.dynamo_operator.conversion import COMPONENT, V1BETA1
from lab.dynamo_operator.pod import CannotReconcile
from lab.dynamo_operator.status import component_status
from lab.dynamo_operator.workloads import deployment, service

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration
    from lab.dynamo_operator.work_queue import Key


class ComponentReconciler:
    """Brings component deployments into being with one operator configuration."""

    def __init__(self, api: KubernetesApi, configuration: OperatorConfiguration) -> None:
        self._api = api
        self._configuration = configuration

    async def reconcile(self, key: Key) -> None:
        """Does what is left to do for one component deployment; one that is gone needs nothing."""
        namespace, name = key
        owner = await self._api.get(V1BETA1, COMPONENT, name, namespace)
        if owner is None:
            return
        if owner["metadata"].get("deletionTimestamp"):
            await set_finalizer(self._api, owner, FINALIZER, held=False)
            return
        owner = await set_finalizer(self._api, owner, FINALIZER, held=True)
        if not (owner.get("status") or {}).get("conditions"):
            owner = await self._report(owner, component_status(owner, None, "", now()))
        try:
            made = await self._bring_about(owner)
        except CannotReconcile as failure:
            await self._report(owner, component_status(owner, None, str(failure), now()))
            return
        except ApiError as error:
            await self._report(owner, component_status(owner, None, str(error), now()))
            raise
        await self._report(owner, component_status(owner, made, "", now()))

    async def _bring_about(self, owner: Manifest) -> Manifest:
        made = await self._api.apply(deployment(owner, self._configuration))
        wanted = service(owner, self._configuration)
        if wanted is not None:
            await self._api.apply(wanted)
        return made

    async def _report(self, owner: Manifest, status: Manifest) -> Manifest:
        # Writing what is there already would wake every watcher, this one included.
        if status == owner.get("status"):
            return owner
        return await self._api.replace_status(owner | {"status": status})
