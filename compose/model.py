"""The model on the host: its volume, who owns it, and the one run that fills it."""

from collections.abc import Mapping
from typing import Any

from compose.containers import Interpolated, service_of
from compose.options import CACHE_VARIABLE, ENV_FILE
from recipes.model_download import (
    SCRATCH_DIRECTORY,
    CacheSource,
    HuggingFaceDownload,
    S3Copy,
    VolumeCheck,
    filling_container,
)
from recipes.model_files import IMAGE_USER, MODEL_DIRECTORY
from recipes.node_cache import marker_file
from recipes.placed import PlacedRecipe

MODEL = "model"
_VOLUME = "model-cache"
_OWNER = "model-owner"
_MOST_ATTEMPTS = 3
# A new volume belongs to root. What belongs to somebody else stays as it is.
_TAKE_OVER = 'if [ "$(stat -c %u "$0")" = 0 ]; then chown "$1" "$0"; fi'
_UNPRIVILEGED: Mapping[str, Any] = {"cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}


def model_mount(source: CacheSource) -> str:
    """Return the mount of the model; of a model that others brought a person has to say where it is."""
    where = "?the directory that holds the model" if isinstance(source, VolumeCheck) else f"-{_VOLUME}"
    return Interpolated(f"${{{CACHE_VARIABLE}:{where}}}:{MODEL_DIRECTORY}")


def own_volume(source: CacheSource) -> dict[str, dict[str, Any]]:
    """Return the volume that the project makes for it."""
    return {} if isinstance(source, VolumeCheck) else {_VOLUME: {}}


def model_services(placed: PlacedRecipe, source: CacheSource) -> dict[str, dict[str, Any]]:
    """Return what has to end well before a worker starts: the model is there and whole."""
    marker = None if isinstance(source, VolumeCheck) else marker_file(placed.recipe)
    container = filling_container(placed.recipe, _without_cluster(source), placed.image_mirrors, marker)
    filling = {
        **service_of(container),
        "user": f"{IMAGE_USER}:{IMAGE_USER}",
        "volumes": [model_mount(source)],
    }
    if isinstance(source, VolumeCheck):
        return {MODEL: filling}
    filling |= {
        # Its packages lie there, and some are programs.
        "tmpfs": [f"{SCRATCH_DIRECTORY}:exec,mode=0700,uid={IMAGE_USER},gid={IMAGE_USER}"],
        "env_file": [{"path": ENV_FILE, "required": False}],
        "restart": f"on-failure:{_MOST_ATTEMPTS}",
        "depends_on": {_OWNER: {"condition": "service_completed_successfully"}},
    }
    return {_OWNER: _owner(container["image"], source), MODEL: filling}


def _without_cluster(source: CacheSource) -> CacheSource:
    """Return the source without what only a cluster has: a Secret, a service account."""
    match source:
        case HuggingFaceDownload():
            return HuggingFaceDownload()
        case S3Copy():
            return S3Copy(source.address, source.region)
        case VolumeCheck():
            return source


def _owner(image: str, source: CacheSource) -> dict[str, Any]:
    return {
        "image": image,
        "user": "0",
        "entrypoint": ["/bin/sh", "-ec"],
        "command": [_TAKE_OVER, MODEL_DIRECTORY, f"{IMAGE_USER}:{IMAGE_USER}"],
        "network_mode": "none",
        **_UNPRIVILEGED,
        "cap_add": ["CHOWN"],
        "volumes": [model_mount(source)],
    }
