"""One reconciliation: from the graph as it is now to its objects and its status."""

from __future__ import annotations

import datetime as dt
import logging
from typing import TYPE_CHECKING

from lab.controller.api import ApiError
from lab.dynamo_operator import manifests
from lab.dynamo_operator.admission.rule import uses_grove
from lab.dynamo_operator.components import (
    FINALIZER,
    LABEL_COMPONENT,
    LABEL_GRAPH,
    workers_hash,
)
from lab.dynamo_operator.conversion import with_services
from lab.dynamo_operator.pod import CannotReconcile
from lab.dynamo_operator.pull_secrets import matching_pull_secrets
from lab.dynamo_operator.rollout import Generation, next_step
from lab.dynamo_operator.status import Outcome, ServiceState, graph_status

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration
    from lab.dynamo_operator.manifests import Component
    from lab.dynamo_operator.switches import Switches
    from lab.dynamo_operator.work_queue import Key

_log = logging.getLogger(__name__)


class Reconciler:
    """Brings graphs into being with one operator configuration."""

    def __init__(
        self, api: KubernetesApi, api_version: str, configuration: OperatorConfiguration, switches: Switches
    ) -> None:
        self._api = api
        self._api_version = api_version
        self._configuration = configuration
        self._switches = switches

    async def reconcile(self, key: Key) -> None:
        """Does what is left to do for one graph; a graph that is gone needs nothing."""
        namespace, name = key
        graph = await self._api.get(self._api_version, manifests.KIND, name, namespace)
        if graph is None:
            return
        if graph["metadata"].get("deletionTimestamp"):
            await self._release(graph)
            return
        if FINALIZER not in graph["metadata"].get("finalizers", []):
            graph = await self._hold(graph)
        try:
            outcome = Outcome(services=await self._apply_objects(with_services(graph)))
        except CannotReconcile as failure:
            outcome = Outcome(failure=str(failure))
        except ApiError as error:
            await self._report(graph, Outcome(failure=str(error)))
            raise
        await self._report(graph, outcome)

    async def _hold(self, graph: Manifest) -> Manifest:
        """From here on the graph cannot go without this operator (NVIDIA/aicr#406)."""
        return await self._set_finalizers(graph, [*graph["metadata"].get("finalizers", []), FINALIZER])

    async def _release(self, graph: Manifest) -> None:
        finalizers = graph["metadata"].get("finalizers", [])
        if FINALIZER in finalizers:
            await self._set_finalizers(graph, [each for each in finalizers if each != FINALIZER])

    async def _set_finalizers(self, graph: Manifest, finalizers: list[str]) -> Manifest:
        version = graph["metadata"]["resourceVersion"]
        return await self._api.merge_patch(
            graph, {"metadata": {"finalizers": finalizers, "resourceVersion": version}}
        )

    async def _apply_objects(self, graph: Manifest) -> list[ServiceState]:
        if uses_grove(graph, self._configuration):
            raise CannotReconcile(
                "SIMULATED CLUSTER: with Grove this graph would become a PodCliqueSet, which is not simulated"
            )
        components = manifests.components_of(graph, workers_hash(graph["spec"]["services"]))
        for manifest in manifests.shared_objects(graph, self._configuration):
            await self._api.apply(manifest)
        existing = await self._deployments(graph)
        secrets = await self._api.list("v1", "Secret", graph["metadata"]["namespace"])
        return [
            await self._apply_component(
                component,
                [
                    each
                    for each in existing
                    if each["metadata"]["labels"].get(LABEL_COMPONENT) == component.name
                ],
                matching_pull_secrets(component, secrets),
            )
            for component in components
        ]

    async def _apply_component(
        self, component: Component, existing: list[Manifest], pull_secrets: list[str]
    ) -> ServiceState:
        newest = [each for each in existing if each["metadata"]["name"] == component.object_name]
        older = [each for each in existing if each not in newest]
        step = next_step(
            component.settings,
            component.replicas,
            _generation(newest[0]) if newest else None,
            [_generation(each) for each in older],
        )
        for deployment in older:
            await self._move_on(deployment, step.old_replicas, step.finished)
        service, deployment = manifests.component_objects(
            component, self._configuration, step.new_replicas, pull_secrets
        )
        await self._api.apply(service)
        applied = await self._api.apply(deployment)
        left = [each for each in older if each["metadata"]["name"] not in step.finished]
        return ServiceState(component.name, component.replicas, [applied, *left])

    async def _move_on(self, old: Manifest, replicas: dict[str, int], finished: tuple[str, ...]) -> None:
        """Shrinks an old generation, or removes it with its Service when its last pod is gone."""
        name = old["metadata"]["name"]
        if name in finished:
            _log.info("generation %s is replaced", name)
            await self._api.delete(old)
            metadata = {"name": name, "namespace": old["metadata"]["namespace"]}
            await self._api.delete({"apiVersion": "v1", "kind": "Service", "metadata": metadata})
        elif old["spec"]["replicas"] != replicas[name]:
            await self._api.merge_patch(old, {"spec": {"replicas": replicas[name]}})

    async def _deployments(self, graph: Manifest) -> list[Manifest]:
        metadata = graph["metadata"]
        found = await self._api.list(
            "apps/v1", "Deployment", metadata["namespace"], {LABEL_GRAPH: metadata["name"]}
        )
        own = [each for each in found if _is_owned_by(each, metadata["uid"])]
        # A list leaves kind and version out of its items.
        return [{"apiVersion": "apps/v1", "kind": "Deployment", **each} for each in own]

    async def _report(self, graph: Manifest, outcome: Outcome) -> None:
        now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = graph_status(graph, outcome, self._switches.override, now)
        # Writing what is there already would wake every watcher of the graph, this one included.
        if status != graph.get("status"):
            await self._api.replace_status(graph | {"status": status})


def _generation(deployment: Manifest) -> Generation:
    status = deployment.get("status") or {}
    return Generation(
        name=deployment["metadata"]["name"],
        wanted=deployment["spec"]["replicas"],
        existing=status.get("replicas", 0),
        available=status.get("availableReplicas", 0),
    )


def _is_owned_by(deployment: Manifest, uid: str) -> bool:
    owners = deployment["metadata"].get("ownerReferences", [])
    return any(owner["uid"] == uid for owner in owners)


def graph_key(deployment: Manifest) -> Key | None:
    """The graph that a Deployment belongs to; None for somebody else's."""
    name = deployment["metadata"].get("labels", {}).get(LABEL_GRAPH)
    return None if name is None else (deployment["metadata"]["namespace"], name)
