"""Stand-in for CSI drivers: claims get volumes that hold nothing.

No volume can be there before its claim: a stack on EKS makes its own classes, in zones that it chooses.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi, connected
from lab.controller.following import Kind, follow, look_whenever
from lab.controller.objects import event

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.controller.api import Manifest
    from lab.directory import LabDirectory

# The drivers of the lab's own classes and of EKS's add-ons, by what their volumes can do.
_FILES = frozenset({"volumes.simulated.local", "efs.csi.aws.com", "fsx.csi.aws.com"})
_DISKS = frozenset({"disks.simulated.local", "ebs.csi.aws.com"})
_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
# The scheduler writes it onto a claim of a WaitForFirstConsumer class once it knows where the first pod goes.
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_ZONE = "topology.kubernetes.io/zone"
_SINGLE_NODE_MODES = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})


async def work(lab: LabDirectory, ready: Callable[[], None]) -> None:
    """Makes and deletes volumes as claims come and go, until cancelled."""
    changed = asyncio.Event()

    async def tell(_change: str, _item: Manifest) -> None:
        changed.set()

    async with connected(lab.kubeconfig, "volumes.simulated.local") as api:
        followed = (
            ("v1", "PersistentVolumeClaim"),
            ("v1", "PersistentVolume"),
            ("storage.k8s.io/v1", "StorageClass"),
        )
        kinds = tuple(Kind(*each, tell) for each in followed)
        await follow(api, kinds, look_whenever(changed, lambda: _look(api), "claims"), ready=ready)


async def _look(api: KubernetesApi) -> None:
    classes = {each["metadata"]["name"]: each for each in await api.list("storage.k8s.io/v1", "StorageClass")}
    for claim in await api.list("v1", "PersistentVolumeClaim"):
        storage_class = classes.get(claim["spec"].get("storageClassName", ""))
        if storage_class is not None and _wants_volume(claim, storage_class):
            await _provision(api, claim, storage_class)
    for volume in await api.list("v1", "PersistentVolume"):
        if _must_go(volume):
            await api.delete(volume)


def _wants_volume(claim: Manifest, storage_class: Manifest) -> bool:
    if storage_class["provisioner"] not in _FILES | _DISKS or "deletionTimestamp" in claim["metadata"]:
        return False
    if claim["status"]["phase"] != "Pending" or claim["spec"].get("volumeName"):
        return False
    waits = storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"
    return not waits or _SELECTED_NODE in claim["metadata"].get("annotations", {})


async def _provision(api: KubernetesApi, claim: Manifest, storage_class: Manifest) -> None:
    if storage_class["provisioner"] in _DISKS and set(claim["spec"]["accessModes"]) - _SINGLE_NODE_MODES:
        await api.apply(_refusal(claim, storage_class))
        return
    zone = None
    if name := claim["metadata"].get("annotations", {}).get(_SELECTED_NODE):
        node = await api.get("v1", "Node", name)
        if node is None:
            return
        zone = node["metadata"].get("labels", {}).get(_ZONE)
    await api.apply(_volume(claim, storage_class, zone))


def _refusal(claim: Manifest, storage_class: Manifest) -> Manifest:
    """One event per claim, in the words of kubernetes-sigs/aws-ebs-csi-driver; the claim stays Pending."""
    message = (
        f'failed to provision volume with StorageClass "{storage_class["metadata"]["name"]}": rpc error: '
        "code = InvalidArgument desc = Volume capabilities MULTI_NODE_MULTI_WRITER not supported. "
        "Only AccessModes[ReadWriteOnce] supported."
    )
    return event(claim, "ProvisioningFailed", message, storage_class["provisioner"])


def _volume(claim: Manifest, storage_class: Manifest, zone: str | None) -> Manifest:
    """A volume of the claim's size and access modes, bound to it; in one zone when `zone` is given."""
    name = f"pvc-{claim['metadata']['uid']}"
    spec: Manifest = {
        "accessModes": claim["spec"]["accessModes"],
        "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
        "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
        | {key: claim["metadata"][key] for key in ("name", "namespace", "uid")},
        "csi": {"driver": storage_class["provisioner"], "volumeHandle": name},
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
        "storageClassName": storage_class["metadata"]["name"],
        "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
    }
    if zone is not None:
        expression = {"key": _ZONE, "operator": "In", "values": [zone]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {_PROVISIONED_BY: storage_class["provisioner"]}},
        "spec": spec,
    }


def _must_go(volume: Manifest) -> bool:
    """Whether the claim of this stand-in's volume is gone and the volume was to go with it."""
    return (
        volume["metadata"].get("annotations", {}).get(_PROVISIONED_BY) in _FILES | _DISKS
        and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        and volume.get("status", {}).get("phase") == "Released"
        and "deletionTimestamp" not in volume["metadata"]
    )
