"""The folders behind a pod's mounts."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from lab.kubelet.environment import pod_field
from lab.kubelet.objects import CannotStartError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.kubelet.objects import Objects

FAILED_MOUNT = "FailedMount"


def claim_folder(root: Path, claim: Mapping[str, Any]) -> Path:
    """Return where a claim's files are, which outlive every pod; `root` is the kubelet's folder."""
    metadata = claim["metadata"]
    return root / "claims" / metadata["namespace"] / f"{metadata['name']}-{metadata['uid'][:8]}"


def make_volumes(
    root: Path, pod: Mapping[str, Any], objects: Objects, address: str, token: str
) -> dict[str, Path]:
    """Fill a folder for each of the pod's volumes and return the folders by the volumes' names.

    Args:
        root: the kubelet's folder.
        pod: as the API server holds it.
        objects: where ConfigMaps, Secrets and claims are found.
        address: the pod's address, for the downward API.
        token: of the pod's service account; empty where none is mounted.

    Raises:
        CannotStartError: a volume's object does not exist, or the lab knows no volumes of its kind.

    """
    folders: dict[str, Path] = {}
    for volume in pod["spec"].get("volumes", ()):
        own = root / "pods" / pod["metadata"]["uid"] / "volumes" / volume["name"]
        folders[volume["name"]] = _folder(root, own, pod, volume, objects)
        for path, content in _files(pod, volume, objects, address, token).items():
            write_whole(own / PurePosixPath(path), content)
    return folders


def write_whole(file: Path, content: str) -> None:
    """Write a file that is whole at every moment: the kubelet writes it for each container of a pod anew.

    A container that has started reads it meanwhile, and an empty program ends without a word.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_name(f".{file.name}.written")
    written.write_text(content, encoding="utf-8")
    written.replace(file)


def mounts_of(container: Mapping[str, Any], volumes: Mapping[str, Path]) -> dict[str, str]:
    """Return the container's mount paths with the folders or files behind them."""
    return {
        mount["mountPath"]: str(volumes[mount["name"]] / mount.get("subPath", ""))
        for mount in container.get("volumeMounts", ())
    }


def remove_volumes(root: Path, uid: str) -> None:
    """Remove what lived as long as the pod."""
    shutil.rmtree(root / "pods" / uid, ignore_errors=True)


def _folder(
    root: Path, own: Path, pod: Mapping[str, Any], volume: Mapping[str, Any], objects: Objects
) -> Path:
    if "persistentVolumeClaim" in volume:
        name = volume["persistentVolumeClaim"]["claimName"]
        folder = claim_folder(root, objects.demand(pod, "PersistentVolumeClaim", name, FAILED_MOUNT))
    elif "hostPath" in volume:
        node = pod["spec"]["nodeName"]
        folder = root / "nodes" / node / volume["hostPath"]["path"].strip("/")
    else:
        folder = own
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _files(
    pod: Mapping[str, Any], volume: Mapping[str, Any], objects: Objects, address: str, token: str
) -> dict[str, str]:
    if "projected" in volume:
        sources = volume["projected"].get("sources", ())
        return {
            path: content
            for source in sources
            for path, content in _source(pod, source, objects, address, token).items()
        }
    known = {"emptyDir", "persistentVolumeClaim", "hostPath", "configMap", "secret", "downwardAPI"}
    unknown = volume.keys() - known - {"name"}
    if unknown:
        kinds = ", ".join(sorted(unknown))
        raise CannotStartError(FAILED_MOUNT, f"the lab's kubelet knows no volumes of kind {kinds}")
    return _source(pod, volume, objects, address, token)


def _source(
    pod: Mapping[str, Any], source: Mapping[str, Any], objects: Objects, address: str, token: str
) -> dict[str, str]:
    if "configMap" in source:
        return _data(pod, "ConfigMap", source["configMap"], objects)
    if "secret" in source:
        return _data(pod, "Secret", source["secret"], objects)
    if "downwardAPI" in source:
        items = source["downwardAPI"].get("items", ())
        return {each["path"]: pod_field(pod, each["fieldRef"]["fieldPath"], address) for each in items}
    if "serviceAccountToken" in source:
        return {source["serviceAccountToken"]["path"]: token}
    return {}


def _data(
    pod: Mapping[str, Any], kind: str, reference: Mapping[str, Any], objects: Objects
) -> dict[str, str]:
    name = reference.get("secretName") or reference["name"]
    data = objects.texts(pod, kind, name, FAILED_MOUNT, optional=bool(reference.get("optional")))
    items = reference.get("items")
    if items is None or not data:
        return data
    missing = [each["key"] for each in items if each["key"] not in data]
    if missing:
        raise CannotStartError(FAILED_MOUNT, f'{kind.lower()} "{name}" has no key {", ".join(missing)}')
    return {each["path"]: data[each["key"]] for each in items}
