"""The operator's life: it starts when its release is installed, and ends with it."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import aiohttp
import kopf

from lab.controller.api import ApiError, KubernetesApi
from lab.custom_resources import custom_resource_definitions
from lab.dynamo_operator import manifests
from lab.dynamo_operator.admission.rule import Circumstances
from lab.dynamo_operator.certificates import ServingCertificate, kept_certificate
from lab.dynamo_operator.components import LABEL_GRAPH
from lab.dynamo_operator.conversion import GROUP
from lab.dynamo_operator.installation import Installation, find_installation, open_gates
from lab.dynamo_operator.reconcile import Reconciler, graph_key
from lab.dynamo_operator.webhook_server import WebhookServer
from lab.dynamo_operator.work_queue import Key, WorkQueue

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.switches import Switches

CRD_FIELD_MANAGER = "dynamo-crd-apply"
_WEBHOOK_KINDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_SWITCH_SECONDS = 0.5
# A deletion while the watch reconnects is never told of.
_RESYNC_SECONDS = 5.0
# Of its leader election, beside the control plane's own, so that it outlives release and namespace.
_LEASE = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "dynamo.nvidia.com", "namespace": "kube-system"},
    "spec": {"holderIdentity": "dynamo-operator-controller-manager", "leaseDurationSeconds": 15},
}

_log = logging.getLogger(__name__)


class Operator:
    """Watches for its own installation; while there is one, serves webhooks and reconciles graphs."""

    def __init__(self, api: KubernetesApi, switches: Switches, graph_api: str) -> None:
        self._api = api
        self._graph_api = graph_api
        self._switches = switches
        self._look_again = asyncio.Event()
        self._queue = WorkQueue(self._reconcile)
        self._installation: Installation | None = None
        self._reconciler: Reconciler | None = None
        self._webhooks: WebhookServer | None = None
        self._override = switches.override
        self._looked = 0.0
        self._said = ""

    @property
    def _api_version(self) -> str:
        return f"{GROUP}/{self._graph_api}"

    def registry(self) -> kopf.OperatorRegistry:
        """The handlers by which kopf tells of changes."""
        registry = kopf.OperatorRegistry()
        for resource in (("apps", "v1", "deployments"), ("", "v1", "pods")):
            kopf.on.event(*resource, labels={"control-plane": "controller-manager"}, registry=registry)(
                self._installation_changed
            )
        kopf.on.event(GROUP, self._graph_api, "dynamographdeployments", registry=registry)(
            self._graph_changed
        )
        kopf.on.event("apps", "v1", "deployments", labels={LABEL_GRAPH: kopf.PRESENT}, registry=registry)(
            self._deployment_changed
        )
        return registry

    async def supervise(self) -> None:
        """Starts and stops the operator's work with its installation, until cancelled."""
        self._look_again.set()
        working = asyncio.ensure_future(self._queue.work())
        try:
            while not working.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._look_again.wait(), _SWITCH_SECONDS)
                if time.monotonic() - self._looked > _RESYNC_SECONDS:
                    self._look_again.set()
                try:
                    await self._look()
                except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                    self._say(f"looking for the operator's installation: {error}")
                    self._look_again.set()
                    await asyncio.sleep(_SWITCH_SECONDS)
            working.result()
        finally:
            working.cancel()
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
            for crd in custom_resource_definitions(self._graph_api):
                await self._api.apply(crd, field_manager=CRD_FIELD_MANAGER)
        host = f"{configuration.webhook_service}.{installation.namespace}.svc"
        await self._api.apply(_LEASE)
        certificate = await kept_certificate(
            self._api, installation.namespace, configuration.certificate_secret, host
        )
        await self._trust(configuration.webhook_service, installation.namespace, certificate)
        self._webhooks = WebhookServer(Circumstances(configuration), certificate)
        self._reconciler = Reconciler(self._api, self._api_version, configuration, self._switches)
        self._installation = installation
        await self._reconcile_all()
        _log.info("operator %s of %s works", configuration.version, installation.namespace)

    async def _stop(self) -> None:
        if self._webhooks is not None:
            await self._webhooks.stop()
        if self._installation is not None:
            _log.info("operator of %s has stopped", self._installation.namespace)
        self._webhooks = self._reconciler = self._installation = None

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

    async def _trust(self, service: str, namespace: str, certificate: ServingCertificate) -> None:
        """Writes the authority into the webhook configurations that lead to the operator's Service."""
        bundle = base64.b64encode(certificate.authority).decode()
        for kind in _WEBHOOK_KINDS:
            for found in await self._api.list("admissionregistration.k8s.io/v1", kind):
                webhooks = [_with_authority(each, service, namespace, bundle) for each in found["webhooks"]]
                if webhooks != found["webhooks"]:
                    named = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, **found}
                    await self._api.merge_patch(named, {"webhooks": webhooks})

    async def _reconcile_all(self) -> None:
        for graph in await self._api.list(self._api_version, manifests.KIND):
            self._queue.add((graph["metadata"]["namespace"], graph["metadata"]["name"]))

    async def _reconcile(self, key: Key) -> None:
        # Without a running pod nobody acts on a graph: one that is deleted then keeps its finalizer.
        if self._reconciler is not None:
            await self._reconciler.reconcile(key)

    def _say(self, message: str) -> None:
        """Logs what is wrong once, however often it is found again."""
        if message != self._said:
            _log.warning(message)
        self._said = message

    async def _installation_changed(self, labels: kopf.Labels, type: str | None, **_: Any) -> None:  # noqa: A002  # kopf's name
        if "dynamo-operator" in labels.values() or type == "DELETED":
            self._look_again.set()

    async def _graph_changed(self, namespace: str | None, name: str, **_: Any) -> None:
        self._queue.add((str(namespace), name))

    async def _deployment_changed(self, body: kopf.Body, **_: Any) -> None:
        key = graph_key(dict(body))
        if key is not None:
            self._queue.add(key)


def _with_authority(webhook: Manifest, service: str, namespace: str, bundle: str) -> Manifest:
    target = webhook["clientConfig"].get("service") or {}
    if (target.get("name"), target.get("namespace")) != (service, namespace):
        return webhook
    return webhook | {"clientConfig": webhook["clientConfig"] | {"caBundle": bundle}}
