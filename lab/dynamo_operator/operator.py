"""The operator's life: it starts when its release is installed, and ends with it."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi, connected
from lab.controller.following import DELETED, Kind, follow, look_whenever
from lab.custom_resources import custom_resource_definitions
from lab.dynamo_operator.certificates import kept_certificate
from lab.dynamo_operator.component_reconciler import reconcile_component
from lab.dynamo_operator.components import LABEL_GRAPH
from lab.dynamo_operator.conversion import COMPONENT, GRAPH, V1ALPHA1
from lab.dynamo_operator.graph_reconciler import GraphReconciler
from lab.dynamo_operator.installation import Installation, find_installation, open_gates
from lab.dynamo_operator.switches import GRAPH_NEVER_READY, WEBHOOK_NOT_READY, is_on
from lab.dynamo_operator.webhooks import (
    ADMISSION,
    WEBHOOK_KINDS,
    WebhookServer,
    trust_conversion,
    trust_webhooks,
)
from lab.dynamo_operator.work_queue import Key, WorkQueue
from lab.operator_lines import operator_line

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from lab.controller.api import Manifest
    from lab.directory import LabDirectory
    from lab.dynamo_operator.certificates import ServingCertificate

CRD_FIELD_MANAGER = "dynamo-crd-apply"
_SWITCH_SECONDS = 0.5
_OBSERVING_SECONDS = 0.7
# A missing Secret or ConfigMap of the release may come later, and nothing tells of it.
_RESYNC_SECONDS = 5.0
# Of its leader election, beside the control plane's own, so that it outlives release and namespace.
_LEASE = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "dynamo.nvidia.com", "namespace": "kube-system"},
    "spec": {"holderIdentity": "dynamo-operator-controller-manager", "leaseDurationSeconds": 15},
}

_log = logging.getLogger(__name__)


async def work(lab: LabDirectory, ready: Callable[[], None]) -> None:
    """Plays the operator while its release is installed, until cancelled."""
    async with connected(lab.kubeconfig, "dynamo-operator") as api:
        operator = Operator(api, lab)
        try:
            await follow(api, operator.kinds(), *operator.companions(), ready=ready)
        finally:
            await operator.stop()


@dataclass
class _Running:
    """What there is while the operator's pod runs."""

    installation: Installation
    certificate: ServingCertificate
    webhooks: WebhookServer
    graphs: GraphReconciler


class Operator:
    """Watches for its own installation; while there is one, serves webhooks and reconciles graphs."""

    def __init__(self, api: KubernetesApi, lab: LabDirectory) -> None:
        self._api = api
        self._lab = lab
        self._look_again = asyncio.Event()
        self._queue = WorkQueue(self._reconcile)
        self._running: _Running | None = None
        self._is_behind = False
        """What changed while the operator was away, or a switch, has not been reconciled since."""

    def kinds(self) -> tuple[Kind, ...]:
        """What it follows."""
        manager = "control-plane=controller-manager"
        return (
            Kind("apps/v1", "Deployment", self._installation_changed, manager),
            Kind("v1", "Pod", self._installation_changed, manager),
            # As 1.2 and 1.4 store them: to be told of a change must not need the conversion webhook.
            Kind(V1ALPHA1, GRAPH, self._graph_changed),
            Kind(V1ALPHA1, COMPONENT, self._component_changed),
            Kind("apps/v1", "Deployment", self._deployment_changed, LABEL_GRAPH),
            *(Kind(ADMISSION, kind, self._webhooks_changed) for kind in WEBHOOK_KINDS),
        )

    def companions(self) -> tuple[Coroutine[None, None, None], ...]:
        """What it does, each until cancelled."""
        look = look_whenever(self._look_again, self._look, "the operator's installation")
        return look, self._watch_switches(), self._queue.work()

    async def stop(self) -> None:
        """Ends what the operator's pod does."""
        if self._running is not None:
            await self._running.webhooks.stop()
            _log.info("operator of %s has stopped", self._running.installation.namespace)
        self._running = None

    async def _watch_switches(self) -> None:
        seen: list[bool] = []
        looked = 0.0
        while True:
            switches = [is_on(self._lab, each) for each in (WEBHOOK_NOT_READY, GRAPH_NEVER_READY)]
            if switches != seen or time.monotonic() - looked > _RESYNC_SECONDS:
                self._is_behind |= switches != seen
                seen = switches
                looked = time.monotonic()
                self._look_again.set()
            await asyncio.sleep(_SWITCH_SECONDS)

    async def _look(self) -> None:
        """Starts or stops with the installation, and does what its pod does beside reconciling."""
        found = await find_installation(self._api)
        if self._running is not None and found != self._running.installation:
            await self.stop()
        if found is None:
            return
        if self._running is None:
            self._running = await self._started(found)
            self._is_behind = True
            _log.info("operator %s of %s works", found.configuration.version, found.namespace)
        await self._listen(self._running.webhooks, found)
        await trust_webhooks(self._api, found, self._running.certificate.bundle)
        if self._is_behind:
            # The API server may refuse the list: it stores anew after each change of a definition.
            await self._reconcile_all()
            self._is_behind = False
        await open_gates(self._api, found)

    async def _started(self, installation: Installation) -> _Running:
        """What the pod does first: its init container's part, certificate and conversion."""
        configuration, namespace = installation.configuration, installation.namespace
        if installation.applies_crds:
            for crd in custom_resource_definitions(operator_line(configuration.version)):
                await self._api.apply(crd, field_manager=CRD_FIELD_MANAGER)
        await self._api.apply(_LEASE)
        host = f"{configuration.webhook_service}.{namespace}.svc"
        certificate = await kept_certificate(self._api, namespace, configuration.certificate_secret, host)
        await trust_conversion(self._api, installation, certificate.bundle)
        return _Running(
            installation,
            certificate,
            WebhookServer(configuration.version, certificate),
            GraphReconciler(self._api, configuration, self._lab),
        )

    async def _listen(self, webhooks: WebhookServer, installation: Installation) -> None:
        if is_on(self._lab, WEBHOOK_NOT_READY):
            await webhooks.stop()
            return
        configuration = installation.configuration
        service = await self._api.get("v1", "Service", configuration.webhook_service, installation.namespace)
        if service is not None:
            await webhooks.start(service["spec"]["clusterIP"], configuration.webhook_port)

    async def _reconcile_all(self) -> None:
        for kind in (GRAPH, COMPONENT):
            for found in await self._api.list(V1ALPHA1, kind):
                self._queue.add(_key(kind, found))

    async def _reconcile(self, key: Key) -> None:
        kind, namespace, name = key
        if self._running is None:
            # Without a running pod nobody acts on a graph: one that is deleted then keeps its finalizer.
            return
        if kind == GRAPH:
            await self._running.graphs.reconcile(namespace, name)
        else:
            configuration = self._running.installation.configuration
            await reconcile_component(self._api, configuration, namespace, name)

    async def _installation_changed(self, change: str, thing: Manifest) -> None:
        if "dynamo-operator" in thing["metadata"]["labels"].values() or change == DELETED:
            self._look_again.set()

    async def _webhooks_changed(self, _: str, __: Manifest) -> None:
        self._look_again.set()

    async def _graph_changed(self, _: str, graph: Manifest) -> None:
        key = _key(GRAPH, graph)
        if _is_behind(graph):
            # Recorded: until then the graph says Ready about the generation before.
            asyncio.get_running_loop().call_later(_OBSERVING_SECONDS, self._queue.add, key)
        else:
            self._queue.add(key)

    async def _component_changed(self, _: str, component: Manifest) -> None:
        self._queue.add(_key(COMPONENT, component))
        graph = component["metadata"].get("labels", {}).get(LABEL_GRAPH)
        if graph is not None:
            self._queue.add((GRAPH, component["metadata"]["namespace"], graph))

    async def _deployment_changed(self, _: str, deployment: Manifest) -> None:
        # A component deployment and its Deployment have one name.
        self._queue.add(_key(COMPONENT, deployment))


def _key(kind: str, thing: Manifest) -> Key:
    return kind, thing["metadata"]["namespace"], thing["metadata"]["name"]


def _is_behind(graph: Manifest) -> bool:
    """Whether the graph has changed since the operator last looked at it; a new graph has not."""
    observed = graph.get("status", {}).get("observedGeneration")
    return observed is not None and observed < graph["metadata"].get("generation", 0)
