"""What a node offers: one channel and one daemon, whatever its number of GPUs. Pure: no API calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest

DRIVER = "compute-domain.nvidia.com"
RESOURCE_API = "resource.k8s.io/v1"
LABEL_CLIQUE = "nvidia.com/gpu.clique"
# A second claim on a node finds no device (kubernetes-sigs/dra-driver-nvidia-gpu#353).
_TYPES = ("channel", "daemon")


def clique_of(node: Manifest) -> str | None:
    """The NVLink clique that GPU feature discovery found on the node; None where NVLink ends at the node."""
    clique: str | None = node["metadata"].get("labels", {}).get(LABEL_CLIQUE)
    return clique


def slice_name(node_name: str) -> str:
    """The name of the ResourceSlice of that node."""
    return f"{node_name}-{DRIVER}"


def slice_for(node: Manifest) -> Manifest:
    """The node's ResourceSlice, which goes with the node."""
    metadata = node["metadata"]
    name: str = metadata["name"]
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": metadata["uid"], "controller": True}
    return {
        "apiVersion": RESOURCE_API,
        "kind": "ResourceSlice",
        "metadata": {"name": slice_name(name), "ownerReferences": [owner]},
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {"name": f"{kind}-0", "attributes": {"type": {"string": kind}, "id": {"int": 0}}}
                for kind in _TYPES
            ],
        },
    }


def slice_changes(nodes: list[Manifest], slices: list[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
    """Slices that are missing, and slices of this driver that no node in a clique stands behind."""
    wanted = {made["metadata"]["name"]: made for made in map(slice_for, filter(clique_of, nodes))}
    own = {each["metadata"]["name"]: each for each in slices if each["spec"]["driver"] == DRIVER}
    missing = [made for name, made in wanted.items() if name not in own]
    stale = [found for name, found in own.items() if name not in wanted]
    return missing, stale
