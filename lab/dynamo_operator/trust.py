"""What makes the API server ask the operator: authorities of its webhooks, and conversion of its kinds.

Source: ai-dynamo/dynamo deploy/operator/internal/cert/cert.go at 0a132bc43.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from lab.dynamo_operator.webhook_server import CONVERT_PATH

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest
    from lab.dynamo_operator.certificates import ServingCertificate

ADMISSION = "admissionregistration.k8s.io/v1"
WEBHOOK_KINDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_CONVERTED = ("dynamographdeployments.nvidia.com", "dynamocomponentdeployments.nvidia.com")


async def trust(
    api: KubernetesApi, service: str, namespace: str, port: int, certificate: ServingCertificate
) -> None:
    """Writes the authority wherever the API server is to reach the operator's Service.

    A definition keeps its conversion when the operator goes: reads in a version that is not stored fail then.
    """
    await trust_webhooks(api, service, namespace, certificate)
    target = {"name": service, "namespace": namespace, "path": CONVERT_PATH, "port": port}
    webhook = {
        "clientConfig": {"service": target, "caBundle": _bundle(certificate)},
        "conversionReviewVersions": ["v1"],
    }
    for name in _CONVERTED:
        named = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
        }
        await api.merge_patch(named, {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}})


async def trust_webhooks(
    api: KubernetesApi, service: str, namespace: str, certificate: ServingCertificate
) -> None:
    """Writes the authority into the webhooks that have another one or none.

    Helm makes them after the operator's Deployment and writes them anew with each update; the operator's
    cert-controller watches them (open-policy-agent/cert-controller pkg/rotator).
    """
    for kind in WEBHOOK_KINDS:
        for found in await api.list(ADMISSION, kind):
            webhooks = [
                _with_authority(each, service, namespace, _bundle(certificate)) for each in found["webhooks"]
            ]
            if webhooks != found["webhooks"]:
                named = {"apiVersion": ADMISSION, "kind": kind, **found}
                await api.merge_patch(named, {"webhooks": webhooks})


def _bundle(certificate: ServingCertificate) -> str:
    return base64.b64encode(certificate.authority).decode()


def _with_authority(webhook: Manifest, service: str, namespace: str, bundle: str) -> Manifest:
    target = webhook["clientConfig"].get("service") or {}
    if (target.get("name"), target.get("namespace")) != (service, namespace):
        return webhook
    return webhook | {"clientConfig": webhook["clientConfig"] | {"caBundle": bundle}}
