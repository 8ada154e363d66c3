"""The directory of a node that holds its copy of the model: volume, marker, and who waits for it."""

import shlex
from typing import Any

from recipes.model import Recipe
from recipes.model_files import MODEL_CACHE
from recipes.pod_environment import guaranteed

WAIT_CONTAINER = "wait-for-model"


def marker_file(recipe: Recipe) -> str:
    """Return the file that says, inside a container, that this revision is there and whole."""
    revisions = (recipe.model.revision, *(draft.revision for draft in recipe.draft_models))
    return f"{MODEL_CACHE.mount_path}/.complete/{'-'.join(revisions)}"


def directory_volume(name: str, directory: str) -> dict[str, Any]:
    """Return a volume that is this directory of the node, made if need be."""
    return {"name": name, "hostPath": {"path": directory, "type": "DirectoryOrCreate"}}


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
        "name": WAIT_CONTAINER,
        "image": image,
        "command": ["/bin/sh", "-c", script],
        "resources": guaranteed("100m", "64Mi"),
        "securityContext": security,
        "volumeMounts": [{**mount, "readOnly": True}],
    }
