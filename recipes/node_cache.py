"""A copy of the model on each node's own disks: what fills it, and what waits for it.

A DaemonSet has the pods that fill it: it finds a node that replaces a lost one by itself, and brings another
revision before any worker restarts. Workers and frontends only wait, so they have neither token nor root.
"""

import shlex
from typing import Any

from recipes.images import mirrored
from recipes.model import Recipe
from recipes.model_download import (
    CACHE_VOLUME,
    DOWNLOAD_IMAGE,
    SCRATCH_VOLUME,
    CacheSource,
    filling_container,
    filling_pod_fields,
)
from recipes.model_files import IMAGE_USER, MODEL_DIRECTORY
from recipes.placed import PlacedRecipe
from recipes.pod_environment import guaranteed
from recipes.pod_placement import scheduling_with_cache
from recipes.standard_labels import NAME

_SMALL = guaranteed("10m", "32Mi")
# A DaemonSet's pods never end: what stays after the download only keeps the pod's place.
_HOLD = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"


def node_cache_spec(placed: PlacedRecipe, name: str, source: CacheSource) -> dict[str, Any]:
    """Return the spec of the DaemonSet of this name, whose pods are Ready where the model is."""
    image = mirrored(DOWNLOAD_IMAGE, placed.image_mirrors)
    marker = marker_file(placed.recipe)
    pod: dict[str, Any] = {
        **scheduling_with_cache(placed.cache_nodes),
        **filling_pod_fields(source),
        "terminationGracePeriodSeconds": 5,
        "initContainers": [_own(image), filling_container(placed, source, marker)],
        "containers": [
            {
                "name": "hold",
                "image": image,
                "command": ["/bin/sh", "-c", _HOLD],
                "resources": _SMALL,
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
        ],
        "volumes": [
            cache_volume(placed, CACHE_VOLUME),
            {"name": SCRATCH_VOLUME, "emptyDir": {}},
        ],
    }
    labels = {NAME: name}
    return {
        "selector": {"matchLabels": labels},
        # All nodes load another revision at once; none serves from these pods.
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }


def _own(image: str) -> dict[str, Any]:
    """Return what hands the directory over: the kubelet makes it root's, and fsGroup changes no hostPath."""
    return {
        "name": "own",
        "image": image,
        "command": ["chown", f"{IMAGE_USER}:{IMAGE_USER}", MODEL_DIRECTORY],
        "resources": _SMALL,
        "securityContext": {
            "runAsNonRoot": False,
            "runAsUser": 0,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN"]},
        },
        "volumeMounts": [{"name": CACHE_VOLUME, "mountPath": MODEL_DIRECTORY}],
    }


def marker_file(recipe: Recipe) -> str:
    """Return the file that says, inside a container, that this revision is there and whole."""
    revisions = (recipe.model.revision, *(draft.revision for draft in recipe.draft_models))
    return f"{MODEL_DIRECTORY}/.complete/{'-'.join(revisions)}"


def cache_volume(placed: PlacedRecipe, name: str) -> dict[str, Any]:
    """Return the volume that pods read the model from: their node's copy, or the claim."""
    if placed.cache_directory:
        return {"name": name, "hostPath": {"path": placed.cache_directory, "type": "DirectoryOrCreate"}}
    return {"name": name, "persistentVolumeClaim": {"claimName": placed.cache_claim_name}}


def waiting_container(
    image: str, security: dict[str, Any], mount: dict[str, Any], marker: str
) -> dict[str, Any]:
    """Return an init container that ends as soon as the model is on its node.

    Without it a worker that lands on a new node would load from an empty directory and, offline, fail again
    and again beside a download that takes minutes.

    Args:
        image: with a shell; that of the main container is on the node anyway.
        security: its securityContext.
        mount: of the directory.
        marker: what it waits for.

    """
    script = f"trap 'exit 1' TERM; until [ -e {shlex.quote(marker)} ]; do sleep 2; done"
    return {
        "name": "wait-for-model",
        "image": image,
        "command": ["/bin/sh", "-c", script],
        "resources": guaranteed("100m", "64Mi"),
        "securityContext": security,
        "volumeMounts": [{**mount, "readOnly": True}],
    }
