"""The operator's hold on graphs and component deployments: none of them goes without it (NVIDIA/aicr#406)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.components import FINALIZER

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest


async def hold(api: KubernetesApi, manifest: Manifest) -> Manifest:
    """The object with the finalizer."""
    finalizers: list[str] = manifest["metadata"].get("finalizers", [])
    if FINALIZER in finalizers:
        return manifest
    return await _write(api, manifest, [*finalizers, FINALIZER])


async def release(api: KubernetesApi, manifest: Manifest) -> None:
    """Lets an object that is being deleted go."""
    finalizers: list[str] = manifest["metadata"].get("finalizers", [])
    if FINALIZER in finalizers:
        await _write(api, manifest, [each for each in finalizers if each != FINALIZER])


async def _write(api: KubernetesApi, manifest: Manifest, finalizers: list[str]) -> Manifest:
    version = manifest["metadata"]["resourceVersion"]
    return await api.merge_patch(
        manifest, {"metadata": {"finalizers": finalizers, "resourceVersion": version}}
    )
