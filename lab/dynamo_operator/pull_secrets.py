"""Which pull secrets of a namespace fit a component's images, as the operator finds them by registry host."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.manifests import Component

DISABLED = "nvidia.com/disable-image-pull-secret-discovery"
_TYPE = "kubernetes.io/dockerconfigjson"
_KEY = ".dockerconfigjson"
_DEFAULT_REGISTRY = "docker.io"


def matching_pull_secrets(component: Component, secrets: list[Manifest]) -> list[str]:
    """Names of the Secrets that hold a login for the registry of the component's image."""
    if component.settings.get(DISABLED) == "true":
        return []
    container = (component.service.get("extraPodSpec") or {}).get("mainContainer") or {}
    images = [container.get("image"), (component.service.get("frontendSidecar") or {}).get("image")]
    registries = {_registry(image) for image in images if image}
    return sorted(
        secret["metadata"]["name"]
        for secret in secrets
        if secret.get("type") == _TYPE and registries & _hosts(secret)
    )


def _registry(image: str) -> str:
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first) else _DEFAULT_REGISTRY


def _hosts(secret: Manifest) -> set[str]:
    try:
        config = json.loads(base64.b64decode(secret["data"][_KEY]))
        return {urlsplit(key).hostname or key for key in config.get("auths") or {}}
    except (KeyError, ValueError):
        return set()
