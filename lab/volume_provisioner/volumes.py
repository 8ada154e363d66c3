"""Which claims get a volume, what it looks like, and when it goes. Pure: no API calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest

PROVISIONER = "volumes.simulated.local"
# Plays a block device's driver: one node at a time.
DISK_PROVISIONER = "disks.simulated.local"
# The drivers of EKS's add-ons, by what their volumes can do.
_FILES = frozenset({PROVISIONER, "efs.csi.aws.com", "fsx.csi.aws.com"})
_DISKS = frozenset({DISK_PROVISIONER, "ebs.csi.aws.com"})
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
# The scheduler writes it onto a claim of a WaitForFirstConsumer class once it knows where the first pod goes.
SELECTED_NODE = "volume.kubernetes.io/selected-node"
ZONE = "topology.kubernetes.io/zone"
_CLAIM_PHASE = "Pending"
_SINGLE_NODE_MODES = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})


def wants_volume(claim: Manifest, storage_class: Manifest) -> bool:
    """Whether this provisioner must make a volume for the claim now."""
    if storage_class["provisioner"] not in _FILES | _DISKS:
        return False
    if claim["metadata"].get("deletionTimestamp"):
        return False
    if claim.get("status", {}).get("phase") != _CLAIM_PHASE or claim["spec"].get("volumeName"):
        return False
    return not waits_for_consumer(storage_class) or selected_node(claim) is not None


def waits_for_consumer(storage_class: Manifest) -> bool:
    """Whether the class makes a volume only where the first pod is."""
    return storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"


def selected_node(claim: Manifest) -> str | None:
    """The node that the scheduler chose for the claim's first pod."""
    node: str | None = claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
    return node


def refusal(claim: Manifest, storage_class: Manifest) -> str | None:
    """Why the class cannot make the claim's volume, in the words of kubernetes-sigs/aws-ebs-csi-driver."""
    shared = set(claim["spec"]["accessModes"]) - _SINGLE_NODE_MODES
    if storage_class["provisioner"] not in _DISKS or not shared:
        return None
    return (
        f'failed to provision volume with StorageClass "{storage_class["metadata"]["name"]}": rpc error: '
        "code = InvalidArgument desc = Volume capabilities MULTI_NODE_MULTI_WRITER not supported. "
        "Only AccessModes[ReadWriteOnce] supported."
    )


def refusal_event(claim: Manifest, message: str) -> Manifest:
    """The event that tells of the refusal, one per claim; the claim stays Pending."""
    metadata = claim["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{metadata['uid']}", "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
        },
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": message,
        "source": {"component": DISK_PROVISIONER},
    }


def volume_for(claim: Manifest, storage_class: Manifest, zone: str | None) -> Manifest:
    """A volume of the claim's size and access modes, bound to it; in one zone when `zone` is given."""
    metadata = claim["metadata"]
    name = f"pvc-{metadata['uid']}"
    spec: Manifest = {
        "accessModes": claim["spec"]["accessModes"],
        "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
        "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
        },
        "csi": {"driver": storage_class["provisioner"], "volumeHandle": name},
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
        "storageClassName": storage_class["metadata"]["name"],
        "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
    }
    if zone is not None:
        expression = {"key": ZONE, "operator": "In", "values": [zone]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: storage_class["provisioner"]}},
        "spec": spec,
    }


def must_be_deleted(volume: Manifest) -> bool:
    """Whether the claim of this provisioner's volume is gone and the volume was to go with it."""
    return (
        volume["metadata"].get("annotations", {}).get(PROVISIONED_BY) in _FILES | _DISKS
        and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        and volume.get("status", {}).get("phase") == "Released"
        and not volume["metadata"].get("deletionTimestamp")
    )
