"""Pods and what they refer to, as the API server would hold them, and a server that a pod could be."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

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
    config: dict[str, dict[str, str]] | None = None, secrets: dict[str, dict[str, str]] | None = None
) -> Objects:
    """ConfigMaps and Secrets of namespace `serving`."""
    found: dict[tuple[str, str, str], Any] = {}
    for name, data in (config or {}).items():
        found["ConfigMap", "serving", name] = {"data": data}
    for name, data in (secrets or {}).items():
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        found["Secret", "serving", name] = {"data": encoded}
    return Objects(found)


@asynccontextmanager
async def answering(statuses: list[int]) -> AsyncIterator[int]:
    """A server at the port that is given, which answers with the last of the statuses."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=statuses[-1])

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
