"""One reconciliation of a graph: from the graph as it is now to its component deployments and its status."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lab.controller.api import ApiError
from lab.controller.objects import now
from lab.dynamo_operator import access
from lab.dynamo_operator.components import (
    LABEL_GRAPH,
    LABEL_WORKER_HASH,
    components_of,
    held,
    is_owned_by,
    is_worker,
    pod_metadata,
)
from lab.dynamo_operator.conversion import COMPONENT, GRAPH, V1BETA1
from lab.dynamo_operator.generations import component_deployments, desired_hash
from lab.dynamo_operator.rolling_update import CURRENT_HASH, current_hash, decide
from lab.dynamo_operator.rollout import Generation, Step, next_step
from lab.dynamo_operator.status import Outcome, graph_status
from lab.dynamo_operator.switches import GRAPH_NEVER_READY, is_on

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest
    from lab.directory import LabDirectory
    from lab.dynamo_operator.installation import OperatorConfiguration

_log = logging.getLogger(__name__)


class GraphReconciler:
    """Brings graphs into being with one operator configuration."""

    def __init__(self, api: KubernetesApi, configuration: OperatorConfiguration, lab: LabDirectory) -> None:
        self._api = api
        self._configuration = configuration
        self._lab = lab

    async def reconcile(self, namespace: str, name: str) -> None:
        """Does what is left to do for one graph; a graph that is gone needs nothing."""
        graph = await held(self._api, GRAPH, namespace, name)
        if graph is None:
            return
        try:
            graph, outcome = await self._bring_about(graph)
        except ApiError as error:
            await self._report(graph, Outcome(failure=str(error)))
            raise
        await self._report(graph, outcome)

    async def _bring_about(self, graph: Manifest) -> tuple[Manifest, Outcome]:
        """Applies the graph's objects; returns the graph as it is stored afterwards."""
        wanted = desired_hash(graph)
        known = await self._component_deployments(graph)
        old = [each for each in known if _is_other_generation(each, wanted)]
        workers = _updated_workers(graph, [each for each in known if each not in old], old)
        rolling = (graph.get("status") or {}).get("rollingUpdate")
        decision = decide(current_hash(graph), wanted, rolling, workers, now())
        if decision.deletes_old:
            for each in old:
                _log.info("generation %s is replaced", each["metadata"]["name"])
                await self._api.delete(each)
            old = []
        if decision.current != current_hash(graph):
            annotations = {CURRENT_HASH: decision.current}
            graph = await self._api.merge_patch(graph, {"metadata": {"annotations": annotations}})
        for manifest in access.shared_objects(graph, self._configuration):
            await self._api.apply(manifest)
        is_moving = wanted != decision.current
        steps = _steps(graph, known, old, wanted) if is_moving else {}
        new_replicas = {name: step.new_replicas for name, step in steps.items()}
        made = [await self._api.apply(each) for each in component_deployments(graph, wanted, new_replicas)]
        if steps:
            await self._scale(old, steps)
        never_ready = is_on(self._lab, GRAPH_NEVER_READY)
        still = old if is_moving else []
        return graph, Outcome(made, still, rolling_update=decision.status, never_ready=never_ready)

    async def _scale(self, old: list[Manifest], steps: dict[str, Step]) -> None:
        for each in old:
            step = steps.get(each["spec"]["name"])
            replicas = step.old_replicas.get(each["metadata"]["name"]) if step else None
            if replicas is not None and each["spec"].get("replicas", 1) != replicas:
                await self._api.merge_patch(each, {"spec": {"replicas": replicas}})

    async def _component_deployments(self, graph: Manifest) -> list[Manifest]:
        metadata = graph["metadata"]
        found = await self._api.list(
            V1BETA1, COMPONENT, metadata["namespace"], {LABEL_GRAPH: metadata["name"]}
        )
        return [each for each in found if is_owned_by(each, metadata["uid"])]

    async def _report(self, graph: Manifest, outcome: Outcome) -> None:
        status = graph_status(graph, outcome, now())
        # Writing what is there already would wake every watcher of the graph, this one included.
        if status != graph.get("status"):
            await self._api.replace_status(graph | {"status": status})


def _is_other_generation(deployment: Manifest, wanted: str) -> bool:
    return (
        is_worker(deployment["spec"])
        and deployment["metadata"].get("labels", {}).get(LABEL_WORKER_HASH) != wanted
    )


def _updated_workers(graph: Manifest, new: list[Manifest], old: list[Manifest]) -> dict[str, bool]:
    """Of each kind of worker, whether its new generation serves alone."""

    def ready(name: str, deployments: list[Manifest]) -> int:
        return sum(_count(each, "readyReplicas") for each in deployments if each["spec"]["name"] == name)

    return {
        each["name"]: ready(each["name"], new) >= each.get("replicas", 1) and not ready(each["name"], old)
        for each in components_of(graph)
        if is_worker(each)
    }


def _steps(graph: Manifest, known: list[Manifest], old: list[Manifest], wanted: str) -> dict[str, Step]:
    """How many pods each kind of worker gets now, by the annotations of the component's pod template alone.

    Those of a v1alpha1 service are not looked at before 1.4 (ai-dynamo/dynamo#11909).
    """
    steps: dict[str, Step] = {}
    for component in components_of(graph):
        if not is_worker(component):
            continue
        own = [each for each in known if each["spec"]["name"] == component["name"]]
        new = [_generation(each) for each in own if not _is_other_generation(each, wanted)]
        steps[component["name"]] = next_step(
            pod_metadata(component, "annotations"),
            component.get("replicas", 1),
            new[0] if new else None,
            [_generation(each) for each in own if each in old],
        )
    return steps


def _generation(deployment: Manifest) -> Generation:
    metadata = deployment["metadata"]
    return Generation(
        name=metadata["name"],
        wanted=deployment["spec"].get("replicas", 1),
        available=_count(deployment, "availableReplicas"),
        created=metadata["creationTimestamp"],
    )


def _count(deployment: Manifest, key: str) -> int:
    count: int = ((deployment.get("status") or {}).get("component") or {}).get(key, 0)
    return count
