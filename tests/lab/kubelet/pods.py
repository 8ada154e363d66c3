"""Pods and what they refer to, as the API server would hold them."""

from __future__ import annotations

import base64
from typing import Any

from lab.kubelet.objects import Objects

ADDRESS = "127.70.128.9"


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A pod of namespace `serving` on node `tray-0`."""
    return {
        "metadata": {
            "name": "worker-0",
            "namespace": "serving",
            "uid": "0123",
            "labels": {"role": "decode"},
            "annotations": {},
        },
        "spec": {"nodeName": "tray-0", "containers": list(containers), **spec},
    }


def container(**fields: Any) -> dict[str, Any]:
    """A container of the runtime's image."""
    return {"name": "main", "image": "registry/some-runtime:1", **fields}


def objects(
    config: dict[str, dict[str, str]] | None = None,
    secrets: dict[str, dict[str, str]] | None = None,
    claims: tuple[str, ...] = (),
) -> Objects:
    """ConfigMaps, Secrets and claims of namespace `serving`."""
    found: dict[tuple[str, str, str], Any] = {}
    for name, data in (config or {}).items():
        found["ConfigMap", "serving", name] = {"data": data}
    for name, data in (secrets or {}).items():
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        found["Secret", "serving", name] = {"data": encoded}
    for name in claims:
        metadata = {"name": name, "namespace": "serving", "uid": "c1a1m-uid"}
        found["PersistentVolumeClaim", "serving", name] = {"metadata": metadata}
    return Objects(found)
