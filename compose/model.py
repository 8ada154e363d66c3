"""The model on the host: its volume, who owns it, and the one run that fills it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compose.containers import Interpolated, service_of
from compose.options import CACHE_VARIABLE, ENV_FILE
from recipes.model_download import (
    SCRATCH_DIRECTORY,
    CacheSource,
    S3Copy,
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
    where = f"-{_VOLUME}" if source else "?the directory that holds the model"
    return Interpolated(f"${{{CACHE_VARIABLE}:{where}}}:{MODEL_DIRECTORY}")


def own_volume(source: CacheSource) -> dict[str, dict[str, Any]]:
    """Return the volume that the project makes for it."""
    return {_VOLUME: {}} if source else {}


def model_services(placed: PlacedRecipe, source: CacheSource) -> dict[str, dict[str, Any]]:
    """Return what has to end well before a worker starts: the model is there and whole."""
    marker = marker_file(placed.recipe) if source else None
    if isinstance(source, S3Copy):
        # Only a cluster has service accounts.
        source = replace(source, service_account_name=None)
    container = filling_container(placed, source, marker)
    filling = {
        **service_of(container),
        "user": f"{IMAGE_USER}:{IMAGE_USER}",
        "volumes": [model_mount(source)],
    }
    if source is None:
        return {MODEL: filling}
    filling |= {
        # Its packages lie there, and some are programs.
        "tmpfs": [f"{SCRATCH_DIRECTORY}:exec,mode=0700,uid={IMAGE_USER},gid={IMAGE_USER}"],
        "env_file": [{"path": ENV_FILE, "required": False}],
        "restart": f"on-failure:{_MOST_ATTEMPTS}",
        "depends_on": {_OWNER: {"condition": "service_completed_successfully"}},
    }
    return {_OWNER: _owner(container["image"], source), MODEL: filling}


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
