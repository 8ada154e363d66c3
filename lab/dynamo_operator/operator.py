"""The operator's life: it starts when its release is installed, and ends with it."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from lab.controller.api import FAILURES, KubernetesApi, connected
from lab.controller.following import DELETED, Kind, follow
from lab.custom_resources import custom_resource_definitions
from lab.dynamo_operator.certificates import kept_certificate
from lab.dynamo_operator.component_reconciler import ComponentReconciler
from lab.dynamo_operator.components import LABEL_GRAPH
from lab.dynamo_operator.conversion import COMPONENT, GRAPH, V1ALPHA1
from lab.dynamo_operator.graph_reconciler import GraphReconciler
from lab.dynamo_operator.installation import Installation, find_installation, open_gates
from lab.dynamo_operator.switches import Switches
from lab.dynamo_operator.trust import ADMISSION, WEBHOOK_KINDS, trust, trust_webhooks
from lab.dynamo_operator.webhook_server import WebhookServer
from lab.dynamo_operator.work_queue import Key, WorkQueue
from lab.operator_lines import operator_line

if TYPE_CHECKING:
    from collections.abc import Callable

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
        operator = Operator(api, Switches(lab.root))
        await follow(api, operator.kinds(), operator.supervise(), ready=ready)


class Operator:
    """Watches for its own installation; while there is one, serves webhooks and reconciles graphs."""

    def __init__(self, api: KubernetesApi, switches: Switches) -> None:
        self._api = api
        self._switches = switches
        self._look_again = asyncio.Event()
        self._graph_queue = WorkQueue(self._reconcile_graph)
        self._component_queue = WorkQueue(self._reconcile_component)
        self._installation: Installation | None = None
        self._graphs: GraphReconciler | None = None
        self._components: ComponentReconciler | None = None
        self._webhooks: WebhookServer | None = None
        self._certificate: ServingCertificate | None = None
        self._override = switches.override
        self._is_behind = False
        """What changed while the operator was away has not been reconciled since."""
        self._looked = 0.0
        self._said = ""

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

    async def supervise(self) -> None:
        """Starts and stops the operator's work with its installation, until cancelled."""
        self._look_again.set()
        queues = (self._graph_queue, self._component_queue)
        working = [asyncio.ensure_future(queue.work()) for queue in queues]
        try:
            while not any(task.done() for task in working):
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._look_again.wait(), _SWITCH_SECONDS)
                if time.monotonic() - self._looked > _RESYNC_SECONDS:
                    self._look_again.set()
                try:
                    await self._look()
                except FAILURES as error:
                    self._say(f"looking for the operator's installation: {error}")
                    self._look_again.set()
                    await asyncio.sleep(_SWITCH_SECONDS)
            for task in working:
                if task.done():
                    task.result()
        finally:
            for task in working:
                task.cancel()
            await self._stop()

    async def _look(self) -> None:
        if self._look_again.is_set():
            self._look_again.clear()
            self._looked = time.monotonic()
            found = await find_installation(self._api)
            if found != self._installation:
                await self._stop()
                if found is not None:
                    await self._start(found)
            await self._obey_switches()
            if self._installation is not None:
                await self._trust_webhooks(self._installation)
                if self._is_behind:
                    # The API server may refuse the list: it stores anew after each change of a definition.
                    await self._reconcile_all()
                    self._is_behind = False
                await open_gates(self._api, self._installation)
        else:
            await self._obey_switches()

    async def _start(self, installation: Installation) -> None:
        """What the pod does: its init container first, then certificate, webhooks and waiting graphs."""
        configuration = installation.configuration
        if not configuration.makes_own_certificate:
            self._say("certificates from elsewhere (webhook.certManager, .external) are not simulated")
            return
        if installation.applies_crds:
            for crd in custom_resource_definitions(operator_line(configuration.version)):
                await self._api.apply(crd, field_manager=CRD_FIELD_MANAGER)
        service, namespace = configuration.webhook_service, installation.namespace
        await self._api.apply(_LEASE)
        certificate = await kept_certificate(
            self._api, namespace, configuration.certificate_secret, f"{service}.{namespace}.svc"
        )
        await trust(self._api, service, namespace, configuration.webhook_port, certificate)
        self._certificate = certificate
        self._webhooks = WebhookServer(configuration.version, certificate)
        self._graphs = GraphReconciler(self._api, configuration, self._switches)
        self._components = ComponentReconciler(self._api, configuration)
        self._installation = installation
        self._is_behind = True
        _log.info("operator %s of %s works", configuration.version, namespace)

    async def _stop(self) -> None:
        if self._webhooks is not None:
            await self._webhooks.stop()
        if self._installation is not None:
            _log.info("operator of %s has stopped", self._installation.namespace)
        self._webhooks = self._graphs = self._components = self._installation = None

    async def _obey_switches(self) -> None:
        if self._webhooks is not None and self._installation is not None:
            if self._switches.webhook_not_ready:
                await self._webhooks.stop()
            elif not self._webhooks.is_listening:
                await self._listen(self._webhooks, self._installation)
        if self._switches.override != self._override:
            self._override = self._switches.override
            await self._reconcile_all()

    async def _listen(self, webhooks: WebhookServer, installation: Installation) -> None:
        configuration = installation.configuration
        service = await self._api.get("v1", "Service", configuration.webhook_service, installation.namespace)
        if service is not None:
            await webhooks.start(service["spec"]["clusterIP"], configuration.webhook_port)

    async def _trust_webhooks(self, installation: Installation) -> None:
        if self._certificate is not None:
            service = installation.configuration.webhook_service
            await trust_webhooks(self._api, service, installation.namespace, self._certificate)

    async def _reconcile_all(self) -> None:
        for kind, queue in ((GRAPH, self._graph_queue), (COMPONENT, self._component_queue)):
            for found in await self._api.list(V1ALPHA1, kind):
                queue.add((found["metadata"]["namespace"], found["metadata"]["name"]))

    async def _reconcile_graph(self, key: Key) -> None:
        # Without a running pod nobody acts on a graph: one that is deleted then keeps its finalizer.
        if self._graphs is not None:
            await self._graphs.reconcile(key)

    async def _reconcile_component(self, key: Key) -> None:
        if self._components is not None:
            await self._components.reconcile(key)

    def _say(self, message: str) -> None:
        """Logs what is wrong once, however often it is found again."""
        if message != self._said:
            _log.warning(message)
        self._said = message

    async def _installation_changed(self, change: str, thing: Manifest) -> None:
        if "dynamo-operator" in thing["metadata"]["labels"].values() or change == DELETED:
            self._look_again.set()

    async def _webhooks_changed(self, _: str, __: Manifest) -> None:
        self._look_again.set()

    async def _graph_changed(self, _: str, graph: Manifest) -> None:
        key = _key(graph)
        if _is_behind(graph):
            # Recorded: until then the graph says Ready about the generation before.
            asyncio.get_running_loop().call_later(_OBSERVING_SECONDS, self._graph_queue.add, key)
        else:
            self._graph_queue.add(key)

    async def _component_changed(self, _: str, component: Manifest) -> None:
        key = _key(component)
        self._component_queue.add(key)
        graph = component["metadata"].get("labels", {}).get(LABEL_GRAPH)
        if graph is not None:
            self._graph_queue.add((key[0], graph))

    async def _deployment_changed(self, _: str, deployment: Manifest) -> None:
        # A component deployment and its Deployment have one name.
        self._component_queue.add(_key(deployment))


def _key(thing: Manifest) -> Key:
    return thing["metadata"]["namespace"], thing["metadata"]["name"]


def _is_behind(graph: Manifest) -> bool:
    """Whether the graph has changed since the operator last looked at it; a new graph has not."""
    observed = graph.get("status", {}).get("observedGeneration")
    return observed is not None and observed < graph["metadata"].get("generation", 0)
