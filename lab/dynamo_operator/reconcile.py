"""One reconciliation: from the graph as it is now to its objects and its status."""

from __future__ import annotations

import datetime as dt
import logging
from dataclasses import dataclass, replace
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
from lab.dynamo_operator.rolling_update import CURRENT_HASH, Hashes, WorkerCounts, decide
from lab.dynamo_operator.rollout import Generation, next_step
from lab.dynamo_operator.status import Outcome, ServiceState, graph_status, updated_key

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
            graph, outcome = await self._bring_about(graph)
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

    async def _bring_about(self, given: Manifest) -> tuple[Manifest, Outcome]:
        """Applies the graph's objects; returns the graph as it is stored afterwards."""
        graph = with_services(given)
        if uses_grove(graph, self._configuration):
            raise CannotReconcile(
                "SIMULATED CLUSTER: with Grove this graph would become a PodCliqueSet, which is not simulated"
            )
        desired = workers_hash(graph["spec"]["services"])
        components = manifests.components_of(graph, desired)
        existing = await self._deployments(graph)
        generations = [_generations(component, existing) for component in components]
        decision = decide(
            Hashes(_current_hash(graph), desired, updated_key(given)),
            (graph.get("status") or {}).get("rollingUpdate"),
            [each.counts for each in generations if each.component.worker_hash],
            _now(),
        )
        if decision.deletes_old:
            generations = [await self._without_old(each) for each in generations]
        if decision.current != _current_hash(graph):
            given = await self._api.merge_patch(
                given, {"metadata": {"annotations": {CURRENT_HASH: decision.current}}}
            )
        is_moving = decision.current != desired
        for manifest in manifests.shared_objects(graph, self._configuration):
            await self._api.apply(manifest)
        secrets = await self._api.list("v1", "Secret", graph["metadata"]["namespace"])
        services = [await self._apply_component(each, secrets, is_moving=is_moving) for each in generations]
        return given, Outcome(services, rolling_update=decision.status)

    async def _apply_component(
        self, generations: Generations, secrets: list[Manifest], *, is_moving: bool
    ) -> ServiceState:
        component = generations.component
        replicas, left = component.replicas, []
        if is_moving and component.worker_hash:
            step = next_step(
                component.settings,
                component.replicas,
                _generation(generations.new) if generations.new else None,
                [_generation(each) for each in generations.old],
            )
            replicas, left = step.new_replicas, generations.old
            for old in left:
                if old["spec"]["replicas"] != step.old_replicas[old["metadata"]["name"]]:
                    wanted = step.old_replicas[old["metadata"]["name"]]
                    await self._api.merge_patch(old, {"spec": {"replicas": wanted}})
        service, deployment = manifests.component_objects(
            component, self._configuration, replicas, matching_pull_secrets(component, secrets)
        )
        await self._api.apply(service)
        applied = await self._api.apply(deployment)
        return ServiceState(component.name, component.replicas, [applied, *left])

    async def _without_old(self, generations: Generations) -> Generations:
        for old in generations.old:
            name = old["metadata"]["name"]
            _log.info("generation %s is replaced", name)
            await self._api.delete(old)
            metadata = {"name": name, "namespace": old["metadata"]["namespace"]}
            await self._api.delete({"apiVersion": "v1", "kind": "Service", "metadata": metadata})
        return replace(generations, old=[])

    async def _deployments(self, graph: Manifest) -> list[Manifest]:
        metadata = graph["metadata"]
        found = await self._api.list(
            "apps/v1", "Deployment", metadata["namespace"], {LABEL_GRAPH: metadata["name"]}
        )
        own = [each for each in found if _is_owned_by(each, metadata["uid"])]
        # A list leaves kind and version out of its items.
        return [{"apiVersion": "apps/v1", "kind": "Deployment", **each} for each in own]

    async def _report(self, graph: Manifest, outcome: Outcome) -> None:
        status = graph_status(graph, outcome, self._switches.override, _now())
        # Writing what is there already would wake every watcher of the graph, this one included.
        if status != graph.get("status"):
            await self._api.replace_status(graph | {"status": status})


@dataclass(frozen=True)
class Generations:
    """One component, its Deployment, and those of other generations."""

    component: Component
    new: Manifest | None
    old: list[Manifest]

    @property
    def counts(self) -> WorkerCounts:
        """Its ready pods."""
        return WorkerCounts(
            self.component.name,
            self.component.replicas,
            _ready(self.new) if self.new else 0,
            sum(_ready(each) for each in self.old),
        )


def _generations(component: Component, deployments: list[Manifest]) -> Generations:
    own = [each for each in deployments if each["metadata"]["labels"].get(LABEL_COMPONENT) == component.name]
    new = [each for each in own if each["metadata"]["name"] == component.object_name]
    return Generations(component, new[0] if new else None, [each for each in own if each not in new])


def _generation(deployment: Manifest) -> Generation:
    metadata, status = deployment["metadata"], deployment.get("status") or {}
    return Generation(
        name=metadata["name"],
        wanted=deployment["spec"]["replicas"],
        available=status.get("availableReplicas", 0),
        created=metadata["creationTimestamp"],
    )


def _ready(deployment: Manifest) -> int:
    ready: int = (deployment.get("status") or {}).get("readyReplicas", 0)
    return ready


def _current_hash(graph: Manifest) -> str:
    current: str = (graph["metadata"].get("annotations") or {}).get(CURRENT_HASH, "")
    return current


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_owned_by(deployment: Manifest, uid: str) -> bool:
    owners = deployment["metadata"].get("ownerReferences", [])
    return any(owner["uid"] == uid for owner in owners)


def graph_key(deployment: Manifest) -> Key | None:
    """The graph that a Deployment belongs to; None for somebody else's."""
    name = deployment["metadata"].get("labels", {}).get(LABEL_GRAPH)
    return None if name is None else (deployment["metadata"]["namespace"], name)
