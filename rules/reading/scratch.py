"""Volumes that are empty when a pod starts, and the one among them in which a model would be looked for."""

from collections.abc import Iterator
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.claims import is_within
from rules.reading.model_users import ModelUser
from rules.reading.pods.containers import all_containers
from rules.reading.shapes import field, mapping_at, mappings_at, text_at

_OF_A_HOME = ("/.cache", "/.cache/huggingface", "/.cache/huggingface/hub")
_DIRECTORY_FLAG = "--download-dir"


@dataclass(frozen=True, slots=True)
class Scratch:
    """An emptyDir in a container."""

    name: str
    path: str
    limit: Value
    is_shared: bool
    """Whether another container of the pod mounts it too, and may fill it."""


def hub_scratch(user: ModelUser) -> Scratch | None:
    """The emptyDir that holds the user's cache of the hub; None where a claim or the image holds it."""
    cache = user.cache_directory
    if user.mount_of(cache) is not None or any(flag.name == _DIRECTORY_FLAG for flag in user.flags):
        return None
    held = [each for each in _scratches(user) if _holds(each.path, cache)]
    return max(held, key=lambda each: len(each.path), default=None)


def _holds(path: str, cache: str) -> bool:
    # Whose home `~` is the image decides; what is mounted at such a place is meant for the cache.
    return path.rstrip("/").endswith(_OF_A_HOME) if cache.startswith("~") else is_within(cache, path)


def _scratches(user: ModelUser) -> Iterator[Scratch]:
    volumes = {
        text_at(volume, "name"): field(mapping_at(volume, "emptyDir"), "sizeLimit")
        for volume in mappings_at(user.template.spec, "volumes")
        if volume.get("emptyDir") is not None
    }
    others = [each for _, each in all_containers(user.template) if each is not user.container]
    elsewhere = {text_at(mount, "name") for each in others for mount in mappings_at(each, "volumeMounts")}
    for mount in mappings_at(user.container, "volumeMounts"):
        name = text_at(mount, "name")
        path = text_at(mount, "mountPath")
        if name in volumes and name is not None and path is not None:
            yield Scratch(name, path, volumes[name], name in elsewhere)
