"""The operator's admission and conversion webhooks: a TLS server, and what makes the API server ask it.

Source: ai-dynamo/dynamo deploy/operator/internal/cert/cert.go at 0a132bc43.
"""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from lab.dynamo_operator.admission import mutate, pass_unseen, validate
from lab.dynamo_operator.conversion import convert

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lab.controller.api import KubernetesApi, Manifest
    from lab.dynamo_operator.certificates import ServingCertificate
    from lab.dynamo_operator.installation import Installation

ADMISSION = "admissionregistration.k8s.io/v1"
WEBHOOK_KINDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_CONVERTED = ("dynamographdeployments.nvidia.com", "dynamocomponentdeployments.nvidia.com")
_VALIDATE_PATH = "/validate-nvidia-com-v1alpha1-dynamographdeployment"
_MUTATE_PATH = "/mutate-nvidia-com-v1alpha1-dynamographdeployment"
_VALIDATE_COMPONENT_PATH = "/validate-nvidia-com-v1alpha1-dynamocomponentdeployment"
_CONVERT_PATH = "/convert"
_LARGEST_REVIEW = 8 * 1024 * 1024


class WebhookServer:
    """Answers reviews between `start` and `stop`."""

    def __init__(self, operator_version: str, certificate: ServingCertificate) -> None:
        self._version = operator_version
        self._context = _tls_context(certificate)
        self._runner: web.AppRunner | None = None

    async def start(self, address: str, port: int) -> None:
        """Listens, unless it does already; raises OSError where the address is taken."""
        if self._runner is not None:
            return
        application = web.Application(client_max_size=_LARGEST_REVIEW)
        for path, answer in (
            (_VALIDATE_PATH, validate),
            (_MUTATE_PATH, lambda review: mutate(review, self._version)),
            (_VALIDATE_COMPONENT_PATH, pass_unseen),
            (_CONVERT_PATH, convert),
        ):
            application.router.add_post(path, self._handler(answer))
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            await web.TCPSite(runner, address, port, ssl_context=self._context).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner

    async def stop(self) -> None:
        """Stops listening: from now on the API server's connection is refused."""
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    def _handler(
        self, answer: Callable[[Manifest], Manifest]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            if self._runner is None and request.transport is not None:
                # A connection whose TLS handshake was on its way when the server stopped outlives it.
                request.transport.abort()
            return web.json_response(answer(await request.json()))

        return handle


async def trust_conversion(api: KubernetesApi, installation: Installation, bundle: str) -> None:
    """Lets the API server convert graphs and component deployments by the operator's Service.

    A definition keeps its conversion when the operator goes: reads in a version that is not stored fail then.
    """
    port = installation.configuration.webhook_port
    target = {**_service(installation), "path": _CONVERT_PATH, "port": port}
    webhook = {
        "clientConfig": {"service": target, "caBundle": bundle},
        "conversionReviewVersions": ["v1"],
    }
    for name in _CONVERTED:
        named = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
        }
        await api.merge_patch(named, {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}})


async def trust_webhooks(api: KubernetesApi, installation: Installation, bundle: str) -> None:
    """Writes the authority into the webhooks that have another one or none.

    Helm makes them after the operator's Deployment and writes them anew with each update; the operator's
    cert-controller watches them (open-policy-agent/cert-controller pkg/rotator).
    """
    for kind in WEBHOOK_KINDS:
        for found in await api.list(ADMISSION, kind):
            webhooks = [_with_authority(each, _service(installation), bundle) for each in found["webhooks"]]
            if webhooks != found["webhooks"]:
                # Refused where Helm has written meanwhile; what it wrote is looked at again.
                metadata = {"resourceVersion": found["metadata"]["resourceVersion"]}
                await api.merge_patch(found, {"metadata": metadata, "webhooks": webhooks})


def _tls_context(certificate: ServingCertificate) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # Python's ssl reads a key from files only.
    with tempfile.TemporaryDirectory() as folder:
        chain, key = Path(folder) / "tls.crt", Path(folder) / "tls.key"
        chain.write_bytes(certificate.certificate)
        key.touch(mode=0o600)
        key.write_bytes(certificate.key)
        context.load_cert_chain(chain, key)
    return context


def _service(installation: Installation) -> dict[str, str]:
    return {"name": installation.configuration.webhook_service, "namespace": installation.namespace}


def _with_authority(webhook: Manifest, service: dict[str, str], bundle: str) -> Manifest:
    target: Manifest = webhook["clientConfig"].get("service") or {}
    if not service.items() <= target.items():
        return webhook
    return webhook | {"clientConfig": webhook["clientConfig"] | {"caBundle": bundle}}
