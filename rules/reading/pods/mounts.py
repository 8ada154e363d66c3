"""What containers mount, and of which volume of their pod."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from resource_graph import Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import field, mappings_at, text_at


@dataclass(frozen=True, slots=True)
class Mount:
    """A volume in a container."""

    name: str | None
    """Name of the volume."""
    path: str
    volume: Mapping[str, Value]
    """The volume as the pod lists it; empty where the pod lists none of that name."""
    inside: str = "."
    """Path of what is mounted within the volume."""
    read_only: bool = False
    claim: str | None = None
    """Name of the claim; None where only the update knows the name, or the volume is of another kind."""
    node_path: str | None = None
    """Path of the mounted directory on the node; None for a volume of another kind."""

    def __str__(self) -> str:
        what = f"{self.node_path} of its node" if self.node_path else self.claim
        return f"{what} at {self.path}"

    @property
    def keeps_files(self) -> bool:
        """Whether the files outlive the pod: on a claim, or in a directory of the node."""
        is_claim = isinstance(self.volume.get("persistentVolumeClaim"), Mapping)
        return is_claim or self.claim is not None or self.node_path is not None

    @property
    def limit(self) -> Value:
        """The limit of an emptyDir's size; None for one without, and for a volume of another kind."""
        return field(self.volume, "emptyDir", "sizeLimit")


# Many containers name the same few.
@lru_cache(maxsize=4096)
def is_within(path: str, directory: str) -> bool:
    """Whether the path lies in the directory, or is the directory."""
    return PurePosixPath(path).is_relative_to(PurePosixPath(directory))


def read_mounts(template: PodTemplate, container: Mapping[str, Value]) -> Sequence[Mount]:
    """The mounts of a container and of its Dynamo service, which mounts claims by their names."""
    volumes = {text_at(volume, "name"): volume for volume in mappings_at(template.spec, "volumes")}
    found = [
        _mount(mount, path, volumes.get(text_at(mount, "name"), {}))
        for mount in mappings_at(container, "volumeMounts")
        if (path := text_at(mount, "mountPath")) is not None
    ]
    if template.shape == "service" and container is template.main:
        for mount in mappings_at(template.described_by, "volumeMounts"):
            path, name = text_at(mount, "mountPoint"), text_at(mount, "name")
            if path is not None and name is not None:
                found.append(Mount(name, path, {}, claim=name))
    return found


def _mount(mount: Mapping[str, Value], path: str, volume: Mapping[str, Value]) -> Mount:
    source = volume.get("persistentVolumeClaim")
    claim: Mapping[str, Value] = source if isinstance(source, Mapping) else {}
    name = claim.get("claimName")
    return Mount(
        name=text_at(mount, "name"),
        path=path,
        volume=volume,
        inside=text_at(mount, "subPath") or ".",
        read_only=mount.get("readOnly") is True or claim.get("readOnly") is True,
        claim=name if isinstance(name, str) else None,
        node_path=text_at(volume, "hostPath", "path"),
    )
