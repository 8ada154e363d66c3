"""Which pull secrets of a namespace fit a component's images, as the operator finds them by registry host."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab.dynamo_operator.components import pod_metadata

if TYPE_CHECKING:
    from lab.controller.api import Manifest

DISABLED = "nvidia.com/disable-image-pull-secret-discovery"
_TYPE = "kubernetes.io/dockerconfigjson"
_KEY = ".dockerconfigjson"
_DEFAULT_REGISTRY = "docker.io"


def matching_pull_secrets(component: Manifest, secrets: list[Manifest]) -> list[str]:
    """Names of the Secrets that hold a login for the registry of an image of the component's pod."""
    if pod_metadata(component, "annotations").get(DISABLED) == "true":
        return []
    spec: Manifest = (component.get("podTemplate") or {}).get("spec") or {}
    registries = {_registry(each["image"]) for each in spec.get("containers") or [] if each.get("image")}
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
