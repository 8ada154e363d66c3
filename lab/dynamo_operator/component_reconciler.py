"""One reconciliation of a component deployment: its Service, its Deployment, its status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.controller.objects import now
from lab.dynamo_operator.components import held
from lab.dynamo_operator.conversion import COMPONENT
from lab.dynamo_operator.status import component_status
from lab.dynamo_operator.workloads import deployment, service

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest
    from lab.dynamo_operator.installation import OperatorConfiguration


async def reconcile_component(
    api: KubernetesApi, configuration: OperatorConfiguration, namespace: str, name: str
) -> None:
    """Does what is left to do for one component deployment; one that is gone needs nothing."""
    owner = await held(api, COMPONENT, namespace, name)
    if owner is None:
        return
    if not (owner.get("status") or {}).get("conditions"):
        owner = await _report(api, owner, component_status(owner, None, now()))
    made = await api.apply(deployment(owner, configuration))
    wanted = service(owner, configuration)
    if wanted is not None:
        await api.apply(wanted)
    await _report(api, owner, component_status(owner, made, now()))


async def _report(api: KubernetesApi, owner: Manifest, status: Manifest) -> Manifest:
    # Writing what is there already would wake every watcher, this one included.
    if status == owner.get("status"):
        return owner
    return await api.replace_status(owner | {"status": status})
